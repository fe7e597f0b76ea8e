// libdevice's functions on the host: libm's where it has them, the others computed in long double and rounded once.
#include "HostLibrary.h"

#include <cmath>
#include <limits>

namespace phobos::target {
namespace {

using Wide = long double;
constexpr Wide kPi = 3.14159265358979323846264338327950288L;
constexpr Wide kRootPi = 1.77245385090551602729816748334114518L;
constexpr Wide kRootTwo = 1.41421356237309504880168872420969808L;

/// y with erfc(y) = x, of 0 < x <= 1. log(erfc) is concave and erfc(y) <= exp(-y^2): Newton's steps from there go down
/// to the root.
Wide erfcInverseUpTo1(Wide x) {
  Wide y = std::sqrt(-std::log(x));
  for (int step = 0; step < 60; ++step) {
    Wide value = std::erfc(y);
    Wide next = y + (std::log(value) - std::log(x)) * value * kRootPi / 2 * std::exp(y * y);
    if (!(next < y)) {
      break;
    }
    y = next;
  }
  return y;
}

Wide erfcInverse(Wide x) {
  if (!(x >= 0 && x <= 2)) {
    return std::numeric_limits<Wide>::quiet_NaN();
  }
  if (x == 0 || x == 2) {
    return (1 - x) * std::numeric_limits<Wide>::infinity();
  }
  return x <= 1 ? erfcInverseUpTo1(x) : -erfcInverseUpTo1(2 - x);
}

/// Near 0 from erf, which is concave and at most 2 x / sqrt(pi): the steps go up to the root.
Wide erfInverse(Wide x) {
  Wide size = std::fabs(x);
  if (!(size < 0.5L)) {
    return std::copysign(erfcInverse(1 - size), x);
  }
  Wide y = size * kRootPi / 2;
  for (int step = 0; step < 60; ++step) {
    Wide next = y + (size - std::erf(y)) * kRootPi / 2 * std::exp(y * y);
    if (!(next > y)) {
      break;
    }
    y = next;
  }
  return std::copysign(y, x);
}

/// exp(x^2) erfc(x); by its asymptotic series from 10 on, of which twenty terms are more than enough.
Wide scaledErfc(Wide x) {
  if (x < 10) {
    return std::exp(x * x) * std::erfc(x);
  }
  Wide sum = 1, term = 1;
  for (int n = 1; n <= 20; ++n) {
    term *= -(2 * n - 1) / (2 * x * x);
    sum += term;
  }
  return sum / (x * kRootPi);
}

/// The sine of pi x where `quarters` is 0, the cosine where it is 1: a quarter turn more.
Wide sineOfTurns(Wide x, int quarters) {
  Wide rest = std::remainder(x, 2.0L); // in [-1, 1], exactly; NaN of infinities
  if (std::isnan(rest)) {
    return rest;
  }
  int nearest = int(std::lrint(2 * rest)), turned = (nearest + quarters) & 3;
  Wide angle = kPi * (rest - nearest / 2.0L);
  if (turned % 2 == 0 && angle == 0) {
    return quarters ? Wide(0) : std::copysign(Wide(0), x);
  }
  Wide value = turned % 2 ? std::cos(angle) : std::sin(angle);
  return turned < 2 ? value : -value;
}

Wide length(std::initializer_list<Wide> of) {
  Wide result = 0;
  for (Wide x : of) {
    result = std::hypot(result, x);
  }
  return result;
}

Wide power(Wide x, int n) {
  Wide result = 1;
  for (unsigned left = n < 0 ? -unsigned(n) : unsigned(n); left; left /= 2, x *= x) {
    result *= left % 2 ? x : 1;
  }
  return n < 0 ? 1 / result : result;
}

/// By the names of Support/Libdevice.def, each for float and double.
namespace functions {
using std::acos, std::acosh, std::asin, std::asinh, std::atan, std::atan2, std::atanh, std::cbrt, std::ceil,
    std::copysign, std::cos, std::cosh, std::erf, std::erfc, std::exp, std::exp2, std::expm1, std::fabs, std::fdim,
    std::floor, std::fma, std::fmax, std::fmin, std::fmod, std::hypot, std::ilogb, std::ldexp, std::lgamma, std::log,
    std::log10, std::log1p, std::log2, std::logb, std::nearbyint, std::nextafter, std::pow, std::remainder, std::rint,
    std::round, std::scalbn, std::sin, std::sinh, std::sqrt, std::tan, std::tanh, std::tgamma, std::trunc;

#define PHOBOS_BOTH(name, parameters, computed)                                                                        \
  float name(parameters(float)) { return float(computed); }                                                            \
  double name(parameters(double)) { return double(computed); }
#define PHOBOS_X(T) T x
#define PHOBOS_XY(T) T x, T y
#define PHOBOS_XYZ(T) T x, T y, T z
#define PHOBOS_XYZW(T) T x, T y, T z, T w
#define PHOBOS_XN(T) T x, int n
PHOBOS_BOTH(cospi, PHOBOS_X, sineOfTurns(x, 1))
PHOBOS_BOTH(sinpi, PHOBOS_X, sineOfTurns(x, 0))
PHOBOS_BOTH(erfinv, PHOBOS_X, erfInverse(x))
PHOBOS_BOTH(erfcinv, PHOBOS_X, erfcInverse(x))
PHOBOS_BOTH(erfcx, PHOBOS_X, scaledErfc(x))
PHOBOS_BOTH(normcdf, PHOBOS_X, std::erfc(-Wide(x) / kRootTwo) / 2)
PHOBOS_BOTH(normcdfinv, PHOBOS_X, -kRootTwo *erfcInverse(2 * Wide(x)))
PHOBOS_BOTH(rcbrt, PHOBOS_X, 1 / std::cbrt(Wide(x)))
PHOBOS_BOTH(rsqrt, PHOBOS_X, 1 / std::sqrt(Wide(x)))
PHOBOS_BOTH(rhypot, PHOBOS_XY, 1 / length({x, y}))
PHOBOS_BOTH(norm3d, PHOBOS_XYZ, length({x, y, z}))
PHOBOS_BOTH(rnorm3d, PHOBOS_XYZ, 1 / length({x, y, z}))
PHOBOS_BOTH(norm4d, PHOBOS_XYZW, length({x, y, z, w}))
PHOBOS_BOTH(rnorm4d, PHOBOS_XYZW, 1 / length({x, y, z, w}))
PHOBOS_BOTH(powi, PHOBOS_XN, power(x, n))
#undef PHOBOS_BOTH
#define PHOBOS_POSIX(name)                                                                                             \
  float name(float x) { return ::name##f(x); }                                                                         \
  double name(double x) { return ::name(x); }
PHOBOS_POSIX(exp10)
PHOBOS_POSIX(j0)
PHOBOS_POSIX(j1)
PHOBOS_POSIX(y0)
PHOBOS_POSIX(y1)
#undef PHOBOS_POSIX
float jn(int n, float x) { return ::jnf(n, x); }
double jn(int n, double x) { return ::jn(n, x); }
float yn(int n, float x) { return ::ynf(n, x); }
double yn(int n, double x) { return ::yn(n, x); }
} // namespace functions

template <typename T> struct Signatures {
  using F = T(T);
  using FF = T(T, T);
  using FFF = T(T, T, T);
  using FFFF = T(T, T, T, T);
  using FI = T(T, int);
  using IF = T(int, T);
  using F_I = int(T);
};

} // namespace

void addLibdevice(llvm::StringMap<void *> &table) {
#define PHOBOS_LIBDEVICE(name, kind, parameters, sentence)                                                             \
  table["__nv_" #name] = reinterpret_cast<void *>(static_cast<Signatures<double>::kind *>(functions::name));           \
  table["__nv_" #name "f"] = reinterpret_cast<void *>(static_cast<Signatures<float>::kind *>(functions::name));
#include "phobos/Support/Libdevice.def"
}

} // namespace phobos::target

// Translation, passes, code generation and linking for the host.
#include "phobos/Target/HostJit.h"

#include "FatalErrors.h"
#include "HostLibrary.h"
#include "Stopwatch.h"

#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/CodeGen/SchedulerRegistry.h"
#include "llvm/CodeGen/SelectionDAGISel.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/ExecutionEngine/Orc/SelfExecutorProcessControl.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/LEB128.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

#include <mutex>

namespace phobos::target {

HostCode::~HostCode() = default;

namespace {

namespace orc = llvm::orc;

// Measured: code generation is most of the time, and these passes cost less than they save it;
// docs/results/simulator.md.
constexpr const char *kSlimPipeline =
    "function(sroa,early-cse,instcombine<no-verify-fixpoint>,simplifycfg,loop-mssa(licm),early-cse<memssa>,adce)";

/// LLVM's usual order of a block, but of one with thousands of nodes a plain one: with many comparisons in it, which
/// share the flags, the usual one takes minutes.
llvm::ScheduleDAGSDNodes *createScheduler(llvm::SelectionDAGISel *selector, llvm::CodeGenOptLevel level) {
  constexpr size_t kManyNodes = 4096;
  bool large = selector->TM.getTargetTriple().isX86() && selector->CurDAG->allnodes_size() > kManyNodes;
  return large ? createFastDAGScheduler(selector, level) : createDefaultScheduler(selector, level);
}

void setScheduler() {
  static llvm::RegisterScheduler ours("phobos", "by the size of the block", createScheduler);
  if (llvm::cl::Option *option = llvm::cl::getRegisteredOptions().lookup("pre-RA-sched")) {
    option->addOccurrence(0, option->ArgStr, "phobos");
  }
}

/// What the process has once. Never destroyed: code may still be running when it ends.
class Session {
public:
  static llvm::Expected<Session *> get() {
    static std::mutex mutex;
    static Session *session = nullptr;
    std::lock_guard<std::mutex> lock(mutex);
    if (session) {
      return session;
    }
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    setScheduler();
    auto machine = orc::JITTargetMachineBuilder::detectHost();
    if (!machine) {
      llvm::consumeError(machine.takeError());
      return toolError("the host simulator generates code for x86-64 processors only");
    }
    // Their conversions to bfloat flush subnormal numbers, which no GPU does.
    machine->getFeatures().AddFeature("avx512bf16", false);
    machine->getFeatures().AddFeature("avxneconvert", false);
    machine->getOptions().EmitStackSizeSection = true;
    machine->setRelocationModel(llvm::Reloc::PIC_);
    auto control = orc::SelfExecutorProcessControl::Create(nullptr, std::make_unique<orc::InPlaceTaskDispatcher>());
    if (!control) {
      return control.takeError();
    }
    session = new Session(std::move(*control), std::move(*machine));
    return session;
  }

  /// One for each thread and level: a machine may be used by one thread at a time.
  llvm::TargetMachine *machine(int optimise) {
    thread_local std::unique_ptr<llvm::TargetMachine> machines[3];
    std::unique_ptr<llvm::TargetMachine> &machine = machines[optimise];
    if (!machine) {
      constexpr llvm::CodeGenOptLevel kLevels[] = {llvm::CodeGenOptLevel::None, llvm::CodeGenOptLevel::Default,
                                                   llvm::CodeGenOptLevel::Default};
      orc::JITTargetMachineBuilder builder = builder_;
      builder.setCodeGenOptLevel(kLevels[optimise]);
      machine = llvm::cantFail(builder.createTargetMachine());
    }
    return machine.get();
  }

  orc::JITDylib &newDylib() {
    static std::atomic<uint64_t> next{0};
    return session_->createBareJITDylib("kernel." + std::to_string(next++));
  }

  orc::ExecutionSession &session() { return *session_; }
  orc::ObjectLinkingLayer &linker() { return *linker_; }

private:
  Session(std::unique_ptr<orc::ExecutorProcessControl> control, orc::JITTargetMachineBuilder builder)
      : builder_(std::move(builder)), session_(std::make_unique<orc::ExecutionSession>(std::move(control))),
        linker_(std::make_unique<orc::ObjectLinkingLayer>(*session_)) {
    session_->setErrorReporter([](llvm::Error error) { llvm::consumeError(std::move(error)); }); // the look-up tells
  }

  orc::JITTargetMachineBuilder builder_;
  std::unique_ptr<orc::ExecutionSession> session_;
  std::unique_ptr<orc::ObjectLinkingLayer> linker_;
};

/// Code that has a dylib in the session.
class LoadedCode final : public HostCode {
public:
  LoadedCode(Session &session, orc::JITDylib &dylib) : session_(session), dylib_(dylib) {}
  ~LoadedCode() override { llvm::consumeError(session_.session().removeJITDylib(dylib_)); }
  orc::JITDylib &dylib() { return dylib_; }

private:
  Session &session_;
  orc::JITDylib &dylib_;
};

llvm::Error runPasses(llvm::Module &module, llvm::TargetMachine &machine, int level) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::ModulePassManager passes;
  if (level == 2) {
    passes = builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2);
  } else if (llvm::Error error = builder.parsePassPipeline(passes, kSlimPipeline)) {
    return internalError("LLVM pass pipeline: " + llvm::toString(std::move(error)));
  }
  passes.run(module, modules);
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> emitObject(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream os(bytes);
  llvm::legacy::PassManager passes;
  llvm::MCContext *context = nullptr;
  if (machine.addPassesToEmitMC(passes, context, os, /*DisableVerify=*/true)) {
    return internalError("LLVM cannot generate code for this processor");
  }
  passes.run(module);
  return std::make_unique<llvm::SmallVectorMemoryBuffer>(std::move(bytes), "kernel.o",
                                                         /*RequiresNullTerminator=*/false);
}

/// The largest number in the object's table of frame sizes: pairs of an address and a ULEB128.
uint64_t deepestFrame(const llvm::object::ObjectFile &object) {
  uint64_t deepest = 0;
  for (const llvm::object::SectionRef &section : object.sections()) {
    llvm::Expected<llvm::StringRef> name = section.getName();
    llvm::Expected<llvm::StringRef> contents = section.getContents();
    if (name && contents && *name == ".stack_sizes") {
      const uint8_t *at = contents->bytes_begin(), *end = contents->bytes_end();
      while (at + sizeof(uint64_t) < end) {
        unsigned length = 0;
        deepest = std::max(deepest, llvm::decodeULEB128(at + sizeof(uint64_t), &length, end));
        at += sizeof(uint64_t) + length;
      }
    }
    llvm::consumeError(name.takeError());
    llvm::consumeError(contents.takeError());
  }
  return deepest;
}

/// Defines what the object refers to and does not have.
llvm::Error defineSymbols(const llvm::object::ObjectFile &object, llvm::ArrayRef<host::Symbol> symbols,
                          Session &session, orc::JITDylib &dylib) {
  orc::SymbolMap map;
  for (const llvm::object::SymbolRef &symbol : object.symbols()) {
    llvm::Expected<uint32_t> flags = symbol.getFlags();
    llvm::Expected<llvm::StringRef> name = symbol.getName();
    if (!flags || !name) {
      llvm::consumeError(flags.takeError());
      return name.takeError();
    }
    if (!(*flags & llvm::object::SymbolRef::SF_Undefined) || name->empty() || *name == "_GLOBAL_OFFSET_TABLE_") {
      continue;
    }
    const host::Symbol *ours = llvm::find_if(symbols, [&](const host::Symbol &known) { return *name == known.name; });
    void *address = ours != symbols.end() ? ours->address : findHostFunction(*name);
    if (!address) {
      return internalError("generated host code calls '" + name->str() + "', which is not there");
    }
    map[session.session().intern(*name)] = {orc::ExecutorAddr::fromPtr(address),
                                            llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  }
  return map.empty() ? llvm::Error::success() : dylib.define(orc::absoluteSymbols(std::move(map)));
}

/// From LLVM IR to an object; what LLVM reports as fatal is caught around this.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> generate(llvm::Module &module, llvm::TargetMachine &machine,
                                                             const HostCodeOptions &options, HostCode &code) {
  Stopwatch watch;
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  if (llvm::Error error = runPasses(module, machine, options.optimise)) {
    return std::move(error);
  }
  code.optimiseMs = watch.lap();
  if (options.keepLLVM) {
    llvm::raw_string_ostream os(code.llvm);
    module.print(os, nullptr);
    watch.lap();
  }
  auto object = emitObject(module, machine);
  code.codegenMs = watch.lap();
  return object;
}

llvm::Error link(std::unique_ptr<llvm::MemoryBuffer> bytes, const std::string &entry,
                 llvm::ArrayRef<host::Symbol> symbols, Session &session, LoadedCode &code) {
  auto object = llvm::object::ObjectFile::createObjectFile(bytes->getMemBufferRef());
  if (!object) {
    return object.takeError();
  }
  code.stackBytes = deepestFrame(**object);
  if (llvm::Error error = defineSymbols(**object, symbols, session, code.dylib())) {
    return error;
  }
  if (llvm::Error error = session.linker().add(code.dylib(), std::move(bytes))) {
    return error;
  }
  auto found = session.session().lookup({&code.dylib()}, entry);
  if (!found) {
    return internalError("linking host code: " + llvm::toString(found.takeError()));
  }
  code.entry = found->getAddress().toPtr<void *>();
  return llvm::Error::success();
}

} // namespace

llvm::Expected<std::unique_ptr<HostCode>> loadOnHost(mlir::ModuleOp module, const std::string &entry,
                                                     llvm::ArrayRef<host::Symbol> symbols,
                                                     const HostCodeOptions &options) {
  assert(options.optimise >= 0 && options.optimise <= 2 && "three levels");
  llvm::Expected<Session *> session = Session::get();
  if (!session) {
    return session.takeError();
  }
  auto code = std::make_unique<LoadedCode>(**session, (*session)->newDylib());
  Stopwatch watch;
  auto context = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> llvmModule = mlir::translateModuleToLLVMIR(module, *context, "kernel");
  if (!llvmModule) {
    return internalError("translation to LLVM IR failed");
  }
  code->translateMs = watch.lap();

  std::unique_ptr<llvm::MemoryBuffer> object;
  if (llvm::Error error = runBackEnd("code for the host", context, llvmModule, [&] {
        return generate(*llvmModule, *(*session)->machine(options.optimise), options, *code).moveInto(object);
      })) {
    return std::move(error);
  }
  watch.lap();
  if (llvm::Error error = link(std::move(object), entry, symbols, **session, *code)) {
    return std::move(error);
  }
  code->linkMs = watch.lap();
  return code;
}

} // namespace phobos::target

# Writes the text of INPUT to OUTPUT as a C++ string literal: cmake -DINPUT=… -DOUTPUT=… -P EmbedText.cmake
file(READ ${INPUT} text)
file(WRITE ${OUTPUT} "R\"__(${text})__\"\n")

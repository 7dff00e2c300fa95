import Bytes
import Glibc

// Everything else lives in functions outside this file: code in it is bound to the main thread.
exit(runProgram(arguments: commandLineArguments()))

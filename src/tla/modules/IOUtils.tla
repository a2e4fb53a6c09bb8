------------------------------ MODULE IOUtils -------------------------------
\* The environment.  Nothing is run, and nothing written.
LOCAL INSTANCE TxscopeNative
LOCAL INSTANCE Integers

IOEnv == TxscopeEnvironment
atoi(str) == TxscopeAtoi(str)
zeroPadN(n, width) == TxscopeZeroPad(n, width)
IOExec(command) == TxscopeRefuse("IOExec runs programs, which is not supported")
IOEnvExec(env, command) ==
  TxscopeRefuse("IOEnvExec runs programs, which is not supported")
IOExecTemplate(commandTemplate, parameters) ==
  TxscopeRefuse("IOExecTemplate runs programs, which is not supported")
IOEnvExecTemplate(env, commandTemplate, parameters) ==
  TxscopeRefuse("IOEnvExecTemplate runs programs, which is not supported")
Serialize(value, dest, options) ==
  TxscopeRefuse("Serialize writes files, which is not supported")
Deserialize(src, options) ==
  TxscopeRefuse("Deserialize reads files, which is not supported")
IOSerialize(val, absoluteFilename, compress) ==
  TxscopeRefuse("IOSerialize writes files, which is not supported")
IODeserialize(absoluteFilename, compressed) ==
  TxscopeRefuse("IODeserialize reads files, which is not supported")
=============================================================================

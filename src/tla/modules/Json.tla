-------------------------------- MODULE Json --------------------------------
\* Values from and to JSON.  Nothing is written to files.
LOCAL INSTANCE TxscopeNative

ToJson(value) == TxscopeToJson(value)
ToJsonArray(value) == TxscopeToJson(value)
ToJsonObject(value) == TxscopeToJson(value)
JsonDeserialize(absoluteFilename) == TxscopeReadJson(absoluteFilename, FALSE)
ndJsonDeserialize(absoluteFilename) == TxscopeReadJson(absoluteFilename, TRUE)
JsonSerialize(absoluteFilename, value) ==
  TxscopeRefuse("JsonSerialize writes files, which is not supported")
ndJsonSerialize(absoluteFilename, value) ==
  TxscopeRefuse("ndJsonSerialize writes files, which is not supported")
=============================================================================

-------------------------------- MODULE CSV ---------------------------------
LOCAL INSTANCE TxscopeNative

CSVWrite(template, val, file) ==
  TxscopeRefuse("CSVWrite writes files, which is not supported")
CSVRead(columns, delimiter, file) ==
  TxscopeRefuse("CSVRead reads files, which is not supported")
CSVWriteRecord(record, delim, headers, file) ==
  TxscopeRefuse("CSVWriteRecord writes files, which is not supported")
CSVRecords(file) ==
  TxscopeRefuse("CSVRecords reads files, which is not supported")
=============================================================================

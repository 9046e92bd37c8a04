@_exported import TenureDocuments

// `Data` and `URL` from the smallest library that has them.
#if canImport(FoundationEssentials)
  @_exported import struct FoundationEssentials.Data
  @_exported import struct FoundationEssentials.URL
#else
  @_exported import struct Foundation.Data
  @_exported import struct Foundation.URL
#endif

// One import for apps and extensions. Nothing here may use what an app extension may not.
@_exported import TenureDocuments
@_exported import TenureGroup
@_exported import TenureState
@_exported import TenureStorage
@_exported import TenureSystem
@_exported import TenureTrace

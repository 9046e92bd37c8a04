import Tenure
import TenureDiagnosis
import TenureFindings
import TenureGroup
import TenureStorage
import TenureSystem

/// Whether an error is about what the command was given (exit 2) rather than about the command itself (70).
func isAboutInput(_ error: any Error) -> Bool {
  switch error {
  case is SystemError, is GroupError, is StorageError, is DocumentError, is CommitInDoubt,
    is Suppression.Malformed, is TraceInputs.NoTraces:
    true
  default: false
  }
}

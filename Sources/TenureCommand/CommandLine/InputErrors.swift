import TenureDiagnosis
import TenureFindings
import TenureSystem

/// Whether an error is about what the command was given (exit 2) rather than about the command itself (70).
func isAboutInput(_ error: any Error) -> Bool {
  switch error {
  case is SystemError, is Suppression.Malformed, is TraceInputs.NoTraces: true
  default: false
  }
}

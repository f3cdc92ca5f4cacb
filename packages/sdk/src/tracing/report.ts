interface Reporting {
  reportProblem?(message: string): void
}

/** Logs a recording problem through the client's logger. Tracing never throws into the traced program. */
export function report(client: object | undefined, message: string): void {
  const reporting = client as Reporting | undefined
  if (reporting?.reportProblem) reporting.reportProblem(message)
  else console.warn(`[touchstone] ${message}`)
}

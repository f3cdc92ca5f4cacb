interface Reporting {
  reportProblem?(message: string): void
}

/** Tells the client's logger what went wrong while recording; tracing never throws into the program it observes. */
export function report(client: object | undefined, message: string): void {
  const reporting = client as Reporting | undefined
  if (reporting?.reportProblem) reporting.reportProblem(message)
  else console.warn(`[touchstone] ${message}`)
}

import { describeFailure } from '#lib/errors/describe-failure.ts'

/**
 * What helps to find a crash: route, place in the code, version, request. Messages of errors are left out, because they
 * may quote what was traced.
 *
 * @param route  the route's pattern, e.g. `/o/$tenant/projects/`
 * @param browser  what it calls itself
 */
export function crashReport(error: unknown, route: string | undefined, browser: string): string {
  const { status, requestId } = describeFailure(error)
  const isError = error instanceof Error
  const places = isError ? (error.stack ?? '').split('\n').filter((line) => /^\s*(at |\S*@)/.test(line)) : []
  return [
    'Touchstone: a page failed',
    `time: ${new Date().toISOString()}`,
    `route: ${route ?? 'unknown'}`,
    `error: ${isError ? error.name : typeof error}`,
    status !== undefined && `status: ${status}`,
    requestId !== undefined && `request: ${requestId}`,
    `browser: ${browser}`,
    ...places.slice(0, 12).map((line) => line.trim()),
  ]
    .filter(Boolean)
    .join('\n')
}

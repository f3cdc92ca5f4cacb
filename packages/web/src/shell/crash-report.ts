import { describeFailure } from '#lib/errors/describe-failure.ts'

/**
 * A report of a crash: route, position in the code, request. Error messages are left out, because they may quote traced data.
 *
 * @param route  the route's pattern, e.g. `/o/$tenant/projects/`
 * @param browser  the user agent
 */
export function crashReport(error: unknown, route: string | undefined, browser: string): string {
  const { status, requestId } = describeFailure(error)
  const isError = error instanceof Error
  const frames = isError ? (error.stack ?? '').split('\n').filter((line) => /^\s*(at |\S*@)/.test(line)) : []
  return [
    'Touchstone: a page failed',
    `time: ${new Date().toISOString()}`,
    `route: ${route ?? 'unknown'}`,
    `error: ${isError ? error.name : typeof error}`,
    status !== undefined && `status: ${status}`,
    requestId !== undefined && `request: ${requestId}`,
    `browser: ${browser}`,
    ...frames.slice(0, 12).map((line) => line.trim()),
  ]
    .filter(Boolean)
    .join('\n')
}

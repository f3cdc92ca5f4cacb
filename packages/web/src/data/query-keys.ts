/**
 * Root keys of the nouns whose cached data other nouns change. They stand apart from the queries, so that a page that
 * invalidates a noun does not load its client.
 */
export const queryKeys = {
  runs: () => ['runs'] as const,
  runsOfProject: (projectId: string) => [...queryKeys.runs(), projectId] as const,
  run: (runId: string) => ['run', runId] as const,
  trace: (traceId: string) => ['trace', traceId] as const,
  threads: () => ['threads'] as const,
  threadsOfProject: (projectId: string) => [...queryKeys.threads(), projectId] as const,
  projects: () => ['projects'] as const,
  datasets: () => ['datasets'] as const,
  queues: () => ['queues'] as const,
}

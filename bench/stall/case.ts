/** Ids that a case may use in its path or body; the benchmark creates them before it starts. */
export interface StallIds {
  readonly sessionId: string
  readonly publicRunToken: string
  readonly publicDatasetToken: string
  readonly datasetId: string
}

/** One request that tries to block the event loop. Limits: 100 ms for public callers, 250 ms for members. */
export interface StallCase {
  readonly name: string
  readonly caller: 'public' | 'member'
  readonly method: string
  readonly path: (ids: StallIds) => string
  readonly headers?: Record<string, string>
  readonly body?: (ids: StallIds) => Buffer | string
}

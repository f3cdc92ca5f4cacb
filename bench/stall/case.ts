/** Ids and tokens of the seeded server that a case may need. */
export interface StallIds {
  readonly sessionId: string
  readonly publicRunToken: string
  readonly publicDatasetToken: string
  readonly datasetId: string
}
/** One request that is meant to stall the server. */
export interface StallCase {
  readonly name: string
  readonly caller: 'public' | 'member'
  readonly method: string
  readonly path: (ids: StallIds) => string
  readonly headers?: Record<string, string>
  readonly body?: (ids: StallIds) => Buffer | string
}

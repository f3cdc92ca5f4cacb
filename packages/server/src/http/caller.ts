/** Whom a request speaks for. Every query carries `tenantId`. */
export interface Caller {
  readonly tenantId: string
  /** The key used; `undefined` while the server is open on loopback and none was sent. */
  readonly keyId: string | undefined
  readonly readOnly: boolean
}

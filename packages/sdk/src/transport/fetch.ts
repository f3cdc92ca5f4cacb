const OVERRIDE = Symbol.for('ls:fetch_implementation')

type Fetch = typeof fetch

/**
 * Replaces `fetch` for every client of this process, of the public package's too: the override lives on a shared symbol.
 *
 * @param implementation for example a proxy-aware fetch
 * @param _supportsWebStreaming accepted for compatibility; bodies are always buffered, so nothing depends on it
 */
export function overrideFetchImplementation(implementation: Fetch, _supportsWebStreaming?: boolean): void {
  ;(globalThis as Record<symbol, unknown>)[OVERRIDE] = implementation
}

/** Per client first, then the process-wide override, then the platform; looked up per request, so order of set-up is free. */
export function currentFetch(own?: Fetch): Fetch {
  const found = own ?? (globalThis as Record<symbol, unknown>)[OVERRIDE] ?? globalThis.fetch
  return found as Fetch
}

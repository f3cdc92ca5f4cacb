import type { Transport } from '../transport/transport.ts'

/** Platform paths stand below `/v1`, which the API's address may or may not end with. */
export function platformPath({ connection }: Transport, path: string): string {
  return `${connection.apiUrl.endsWith('/v1') ? '' : '/v1'}/platform${path}`
}

/**
 * Host of the web pages that belong to an API address: what is configured, else the API's address without its API path,
 * else its origin. Never a guess at a third party's host.
 */
export function webHost(apiUrl: string, webUrl?: string): string {
  if (webUrl) return webUrl
  if (isLocal(apiUrl)) return new URL(apiUrl).origin
  if (apiUrl.endsWith('/api/v1')) return apiUrl.slice(0, -'/api/v1'.length)
  if (apiUrl.includes('/api') && !apiUrl.split('.', 1)[0]!.endsWith('api')) return apiUrl.replace('/api', '')
  return new URL(apiUrl).origin
}

function isLocal(apiUrl: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(new URL(apiUrl).hostname)
}

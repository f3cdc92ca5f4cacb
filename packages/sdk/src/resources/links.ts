import { webHost } from '../config/web-host.ts'
import type { TracerSession } from '../schemas.ts'
import type { Transport } from '../transport/transport.ts'

/** Host of the web pages of the server a transport talks to. */
export function hostOf({ connection }: Transport): string {
  return webHost(connection.apiUrl, connection.webUrl)
}

export async function projectLink(transport: Transport, projectId: string): Promise<string> {
  return `${hostOf(transport)}/o/${await tenantOf(transport)}/projects/p/${projectId}`
}

export async function runLink(transport: Transport, projectId: string, runId: string): Promise<string> {
  return `${await projectLink(transport, projectId)}/r/${runId}?poll=true`
}

const tenants = new WeakMap<Transport, Promise<string>>()

/** The caller's workspace, learnt once per client; a failure is forgotten, so the next call asks again. */
function tenantOf(transport: Transport): Promise<string> {
  const known = tenants.get(transport)
  if (known) return known
  const asked = askTenant(transport)
  tenants.set(transport, asked)
  asked.catch(() => tenants.delete(transport))
  return asked
}

async function askTenant(transport: Transport): Promise<string> {
  const doing = 'resolve the tenant'
  const query = { limit: 1 }
  const [project] = await transport.json<TracerSession[]>({ method: 'GET', path: '/sessions', query, doing })
  if (!project) throw new Error('No projects found to resolve tenant.')
  return project.tenant_id
}

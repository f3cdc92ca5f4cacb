import * as routes from '@touchstone/contract/routes'
import { webHost } from '../config/connection.ts'
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

export async function datasetLink(transport: Transport, datasetId: string): Promise<string> {
  return `${hostOf(transport)}/o/${await tenantOf(transport)}/datasets/${datasetId}`
}

/** The page that shows experiments over one dataset beside each other. */
export async function comparisonLink(
  transport: Transport,
  datasetId: string,
  experimentIds: readonly string[],
  comparativeExperimentId?: string,
): Promise<string> {
  const pair = comparativeExperimentId === undefined ? '' : `&comparativeExperiment=${comparativeExperimentId}`
  return `${await datasetLink(transport, datasetId)}/compare?selectedSessions=${experimentIds.join(',')}${pair}`
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
  const [project] = await transport.call(routes.projects.list, { query, doing })
  if (!project) throw new Error('No projects found to resolve tenant.')
  return project.tenant_id
}

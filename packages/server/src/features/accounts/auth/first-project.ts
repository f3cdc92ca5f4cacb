import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../http/serve.ts'
import { createProject } from '../../projects/index.ts'
import { createKey } from './keys.ts'

type FirstProjectDeps = Parameters<typeof createProject>[0] & Pick<Deps, 'relational' | 'clock' | 'ids'>

/** Creates the first project of a new server, and a key for the first traced program. */
export async function createFirstProject(
  deps: FirstProjectDeps,
  admin: Caller,
  projectName: string,
): Promise<{ projectId: string; key: string }> {
  const request = { body: { name: projectName }, extraText: undefined }
  const project = await createProject(deps, admin.tenantId, request, true)
  const { key } = await createKey(deps, admin, { description: `First key, for ${projectName}`, role: 'member' })
  return { projectId: project.id, key }
}

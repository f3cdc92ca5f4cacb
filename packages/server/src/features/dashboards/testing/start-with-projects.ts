import { contract } from '@touchstone/contract'
import { type StartedApp, startApp } from '../../../testing/start-app.ts'

/** Starts a server with two projects, for records that belong to a project or to the workspace. */
export async function startWithProjects(): Promise<{ app: StartedApp; project: string; other: string }> {
  const app = await startApp()
  const create = async (name: string) => (await app.call(contract.projects.create, { body: { name } })).body.id
  return { app, project: await create('one'), other: await create('two') }
}

import type { SharedState } from './shared-servers.ts'
import { startWorkspaceProxy } from './workspace-proxy.ts'

export interface SharedServer {
  /**
   * Without a trailing slash. Requests that name no workspace are for the new one: they pass through a proxy in this process,
   * so a program that uses the URL must not be awaited synchronously.
   */
  readonly url: string
  /** Id of the new workspace. */
  readonly tenant: string
  /** Fails when the server ended, or was closed by a key or an account, since it was shared. */
  stop(): Promise<void>
}

/** A new workspace on the server that the files of this worker share: a server of its own takes seconds to start. */
export async function shareServer(kind = 'api'): Promise<SharedServer> {
  const serverUrl = await askShared<string>(kind, 'server')
  const { id } = await postJson<{ id: string }>(`${serverUrl}/api/v1/workspaces`, { display_name: 'Default' })
  const proxy = await startWorkspaceProxy(serverUrl, id)
  return {
    url: proxy.url,
    tenant: id,
    async stop() {
      await proxy.close()
      const { isUsable, output } = await askShared<SharedState>(kind, 'state')
      if (!isUsable) throw new Error(`The shared server ended, or was closed by a key, during this file:\n${output}`)
    },
  }
}

/** Asks `shared-servers.ts` for the server of this worker. */
async function askShared<Answer>(kind: string, what: 'server' | 'state'): Promise<Answer> {
  const url = `${process.env.TOUCHSTONE_SHARED_SERVERS}/${kind}-${process.env.VITEST_POOL_ID}/${what}`
  return await read<Answer>(url)
}

const postJson = <Answer>(url: string, body: object) =>
  read<Answer>(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

async function read<Answer>(url: string, init?: RequestInit): Promise<Answer> {
  const answer = await fetch(url, init)
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as Answer
}

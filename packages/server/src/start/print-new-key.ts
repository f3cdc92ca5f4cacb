import { uuid7 } from '@touchstone/contract'
import type { Config } from '../config.ts'
import { createKey } from '../features/auth/index.ts'
import { defaultWorkspaceId } from '../features/workspaces/index.ts'
import { assertRestored } from '../storage/backups/index.ts'
import { openRelational } from '../storage/open-engines.ts'
import { lockDataDir } from '../storage/relational/data-dir-lock.ts'
import { createLogger } from './logger.ts'
import { StartError } from './run-server.ts'

/** Creates a key in the data directory, server stopped, and prints it: the key alone to standard output. */
export async function printNewKey(config: Config, name: string): Promise<void> {
  const unlock = config.postgresUrl === undefined ? lockForKey(config.dataDir) : () => {}
  try {
    const relational = await openRelational(config, createLogger(config.logLevel))
    const tenantId = await defaultWorkspaceId({ relational })
    const maker = { tenantId, kind: 'local', actorId: undefined, actorName: undefined, role: 'admin' } as const
    const { key } = await createKey({ relational, clock: Date.now, ids: uuid7 }, maker, { description: name })
    await relational.close()
    console.error(`Created the key "${name}" in ${config.dataDir}. It is shown this once:`)
    console.log(key)
  } finally {
    unlock()
  }
}

function lockForKey(dataDir: string): () => void {
  try {
    assertRestored(dataDir)
    return lockDataDir(dataDir)
  } catch (error) {
    throw new StartError((error as Error).message, { cause: error })
  }
}

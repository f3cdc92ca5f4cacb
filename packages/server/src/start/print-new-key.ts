import { uuid7 } from '@touchstone/contract'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { createKey } from '../features/accounts/auth/index.ts'
import { selectDefaultWorkspaceId } from '../features/accounts/index.ts'
import { assertRestored } from '../storage/backups/index.ts'
import { createDataDir } from '../storage/data-dir/protect-data-dir.ts'
import { lockForEngines, openRelational } from '../storage/open-engines.ts'
import type { Relational } from '../storage/relational/port.ts'
import { createLogger, StartError } from './run-server.ts'

/** Creates a key in the data directory, server stopped, and prints it: the key alone to standard output. */
export async function printNewKey(config: Config, name: string): Promise<void> {
  const log = createLogger(config.logLevel)
  const unlock = config.postgresUrl === undefined ? await lockForKey(config, log) : () => {}
  try {
    const relational = await openOrStop(config, log)
    const tenantId = await selectDefaultWorkspaceId(relational.db)
    const local = { kind: 'local', actorId: undefined, actorName: undefined } as const
    const maker = { ...local, tenantId, role: 'admin', isServerAdmin: true } as const
    const { key } = await createKey({ relational, clock: Date.now, ids: uuid7 }, maker, { description: name })
    await relational.close()
    console.error(`Created the key "${name}" in ${config.dataDir}. It is shown this once:`)
    console.log(key)
  } finally {
    unlock()
  }
}

async function openOrStop(config: Config, log: Logger): Promise<Relational> {
  try {
    return await openRelational(config, log)
  } catch (error) {
    throw new StartError((error as Error).message, { cause: error })
  }
}

async function lockForKey(config: Config, log: Logger): Promise<() => void> {
  try {
    assertRestored(config.dataDir)
    createDataDir(config.dataDir)
    return await lockForEngines(config, log)
  } catch (error) {
    throw new StartError((error as Error).message, { cause: error })
  }
}

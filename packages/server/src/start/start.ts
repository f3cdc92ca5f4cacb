import { ConfigError, readConfig } from '../config.ts'
import { createPrivateFiles } from '../storage/data-dir/protect-data-dir.ts'
import { printNewKey } from './print-new-key.ts'
import { runServer, StartError } from './run-server.ts'
import { useBackup } from './use-backup.ts'

/** Does what the command line asks; ends the process with 1 and a sentence when it cannot. */
export async function start(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  try {
    const config = readConfig(argv, env)
    createPrivateFiles()
    if (config.verifyBackup !== undefined || config.restoreBackup !== undefined) return await useBackup(config)
    await (config.createKey === undefined ? runServer(config) : printNewKey(config, config.createKey))
  } catch (error) {
    // A sentence for what the operator can change; the stack for what only we can.
    console.error(error instanceof ConfigError || error instanceof StartError ? error.message : error)
    process.exit(1)
  }
}

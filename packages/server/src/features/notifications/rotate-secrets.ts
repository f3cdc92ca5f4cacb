import type { Deps } from '../../deps.ts'
import type { SecretBox } from '../../storage/secret-box.ts'
import { findConfig, sealConfig } from './secrets.ts'
import { lockChannels, selectAllChannels, selectChannel, updateChannel } from './store.ts'

/** The configurations of all channels, for changes of the server's secret key. */
export function openSealedChannels({
  relational,
  secrets,
}: Pick<Deps, 'relational'> & { readonly secrets: SecretBox }) {
  return {
    async count() {
      const rows = await selectAllChannels(relational.db)
      const current = secrets.status().currentKeyId
      const readable = rows.filter((row) => findConfig(secrets, row) !== undefined)
      return {
        current: readable.filter(({ key_id }) => key_id === current).length,
        older: readable.filter(({ key_id }) => key_id !== current).length,
        unreadable: rows.length - readable.length,
      }
    },

    async rotate() {
      const current = secrets.status().currentKeyId
      const older = (await selectAllChannels(relational.db)).filter(({ key_id }) => key_id !== current)
      for (const { tenant_id, id } of older) {
        await relational.transaction(async (tx) => {
          await lockChannels(tx, tenant_id)
          const row = await selectChannel(tx, tenant_id, id)
          const found = row && findConfig(secrets, row)
          if (row === undefined || found === undefined) return
          await updateChannel(tx, tenant_id, id, sealConfig(secrets, row, found))
        })
      }
    },
  }
}

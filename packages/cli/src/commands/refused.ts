import { command } from '../command.ts'
import { formatTime, removeControlCharacters } from '../output.ts'

export const listRefused = command({
  summary: 'List runs that the store refused after they were acknowledged; the server keeps them',
  flags: {},
  async run({ client, output }) {
    const refused = await client.listRefusedRuns()
    output.data(refused, ({ items }) =>
      items
        .map(({ at, id, reason }) => removeControlCharacters(`${formatTime(at)}  ${id ?? 'attachment'}  ${reason}`))
        .join('\n'),
    )
    output.message(refused.total === 1 ? '1 refused run.' : `${refused.total} refused runs.`)
  },
})

export const retryRefused = command({
  summary: 'Store the refused runs of the workspace again',
  flags: {},
  notes: ['For admins. What the store refuses again is kept again.'],
  async run({ client, output }) {
    const retried = await client.retryRefusedRuns()
    output.data(retried, () => '')
    output.message(`Accepted ${retried.accepted}, refused ${retried.refused} again.`)
  },
})

import { command } from '../../command.ts'
import { table } from '../../output.ts'

export default command({
  summary: 'Show the environments of an agent and their projects',
  words: ['id'],
  flags: {},
  async run({ client, output, words }) {
    const [id = ''] = words
    output.data(await client.agents.get(id), ({ environments }) =>
      table(environments, [
        ['ENVIRONMENT', ({ environment }) => environment.toLowerCase()],
        ['PROJECT ID', ({ tracer_session_id }) => tracer_session_id ?? undefined],
        ['PROJECT', ({ tracer_session_name }) => tracer_session_name ?? undefined],
      ]),
    )
  },
})

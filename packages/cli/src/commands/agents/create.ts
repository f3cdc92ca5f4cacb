import { command } from '../../command.ts'

export default command({
  summary: 'Create an agent with a project for each environment',
  words: ['id'],
  flags: {
    name: { type: 'string', value: 'TEXT', says: 'what to show instead of the id' },
    coding: { type: 'boolean', says: 'an agent that writes code' },
  },
  async run({ client, output, words, flags }) {
    const [id = ''] = words
    const agent = await client.agents.create({ id, name: flags.name, agent_type: flags.coding ? 'CODING' : undefined })
    output.data(agent, () => agent.id)
    output.talk(`Created the agent ${agent.id}. Send traces with LANGSMITH_AGENT_ID=${agent.id}.`)
  },
})

import { readFile } from 'node:fs/promises'
import { command } from '../../command.ts'
import { jsonObject, oneOf, UsageError } from '../../flags.ts'

export default command({
  summary: 'Create an empty dataset',
  words: ['name'],
  flags: {
    description: { type: 'string', value: 'TEXT', says: 'what it is' },
    type: { type: 'string', value: 'TYPE', says: 'kv, llm or chat (default kv)' },
    metadata: { type: 'string', value: 'JSON', says: 'an object of your own' },
    'inputs-schema': { type: 'string', value: 'FILE', says: 'JSON Schema that all inputs must satisfy' },
    'outputs-schema': { type: 'string', value: 'FILE', says: 'JSON Schema that all outputs must satisfy' },
  },
  async run({ client, output, words, flags }) {
    const [name = ''] = words
    const dataset = await client.createDataset(name, {
      description: flags.description,
      dataType: oneOf('type', ['kv', 'llm', 'chat'], flags.type),
      metadata: flags.metadata === undefined ? undefined : jsonObject('--metadata', flags.metadata),
      inputsSchema: await schemaIn(flags['inputs-schema']),
      outputsSchema: await schemaIn(flags['outputs-schema']),
    })
    output.data(dataset, ({ id }) => id)
    output.talk(`Created the dataset "${dataset.name}".`)
  },
})

async function schemaIn(path: string | undefined): Promise<Record<string, unknown> | undefined> {
  if (path === undefined) return undefined
  const text = await readFile(path, 'utf8').catch((cause: Error) => {
    throw new UsageError(`Cannot read ${path}: ${cause.message}`, { cause })
  })
  return jsonObject(path, text)
}

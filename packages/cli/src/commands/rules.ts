import { readFile } from 'node:fs/promises'
import { type Client, NotFoundError, type Rule, type RuleAction, type RuleWrite } from '@touchstone/sdk'
import { isUuid } from '../arguments.ts'
import { command } from '../command.ts'
import { UsageError } from '../exit-codes.ts'
import { formatTable, formatTime, removeControlCharacters } from '../output.ts'
import { collect, LIMIT_FLAG, printLimitNotice, readLimit } from '../paging.ts'
import { findEvaluator } from './evaluators.ts'

export const listRules = command({
  summary: 'List rules by name, with their state',
  flags: {
    search: { type: 'string', value: 'TEXT', description: 'only rules with this text in name or description' },
    project: { type: 'string', value: 'NAME', description: 'only rules that look at this project' },
    limit: LIMIT_FLAG,
  },
  async run({ client, output, flags }) {
    const limit = readLimit(flags.limit)
    const projectId = flags.project === undefined ? undefined : await findProject(client, flags.project)
    const rules = await collect(client.listRules({ search: flags.search, projectId, limit }))
    output.data(rules, (rows) =>
      formatTable(rows, [
        ['NAME', ({ name }) => name],
        ['STATE', describeState],
        ['VERSION', ({ version }) => version],
        ['ACTIONS', ({ definition }) => definition.actions.map(({ kind }) => kind).join(', ')],
        ['LOOKED', ({ looked_at }) => formatTime(looked_at)],
        ['ID', ({ id }) => id],
      ]),
    )
    printLimitNotice(output, rules, limit)
  },
})

export const showRule = command({
  summary: 'Print a rule: its definition, for create --file, and the runs of the last day',
  positionals: ['rule'],
  flags: {},
  async run({ client, output, positionals }) {
    const rule = await findRule(client, positionals[0])
    const funnel = await client.readRuleFunnel(rule.id)
    output.data({ ...rule, funnel }, () => JSON.stringify(rule.definition, null, 2))
    const { seen, matched, sampled_out, waiting, done, failed } = funnel
    output.message(
      `${removeControlCharacters(rule.name)}: ${describeState(rule)}, version ${rule.version}. Last 24 hours: ` +
        `${seen} seen, ${matched} matched, ${sampled_out} sampled out, ${waiting} waiting, ${done} done, ${failed} failed.`,
    )
  },
})

export const createRule = command({
  summary: 'Create a rule from a file or from flags; it looks at runs that arrive from now on',
  positionals: ['name'],
  flags: {
    file: { type: 'string', value: 'FILE', description: 'definition as JSON, as `rules show` prints it' },
    project: { type: 'string', value: 'NAME', multiple: true, description: 'project to look at; may be repeated' },
    filter: { type: 'string', value: 'FILTER', description: 'only runs that match (default all runs)' },
    rate: { type: 'string', value: 'SHARE', description: 'share of the matching traces, 0 to 1 (default 1)' },
    evaluator: { type: 'string', value: 'NAME', multiple: true, description: 'evaluator to run; may be repeated' },
    dataset: { type: 'string', value: 'NAME', description: 'dataset to add examples to' },
    queue: { type: 'string', value: 'NAME', description: 'review queue to add runs to' },
    description: { type: 'string', value: 'TEXT', description: 'what the rule is for' },
    paused: { type: 'boolean', description: 'create it paused' },
  },
  notes: ['Actions are done in this order: evaluators, dataset, queue. A file can have any order and all kinds.', ''],
  async run({ client, output, positionals, flags }) {
    const [name = ''] = positionals
    const { file, description, paused } = flags
    const parts = [flags.project, flags.filter, flags.rate, flags.evaluator, flags.dataset, flags.queue]
    if (file !== undefined && parts.some((part) => part !== undefined)) {
      throw new UsageError('--file has the whole definition; give it without the flags of one.')
    }
    const definition = file === undefined ? await readDefinition(client, flags) : await readDefinitionFile(file)
    const created = await client.createRule({ name, description, is_enabled: paused !== true, definition })
    output.data(created, ({ id }) => id)
    output.message(`Created the rule "${removeControlCharacters(created.name)}", ${describeState(created)}.`)
  },
})

export const pauseRule = switchCommand('Pause a rule; runs that arrive meanwhile are not looked at', false)
export const resumeRule = switchCommand('Resume a rule, and end its block', true)

function switchCommand(summary: string, isEnabled: boolean) {
  return command({
    summary,
    positionals: ['rule'],
    flags: {},
    async run({ client, output, positionals }) {
      const { id } = await findRule(client, positionals[0])
      const rule = await client.updateRule(id, { is_enabled: isEnabled })
      output.data(rule, () => '')
      output.message(`The rule "${removeControlCharacters(rule.name)}" is ${describeState(rule)}.`)
    },
  })
}

export const deleteRule = command({
  summary: 'Delete a rule with its decisions; what it did stays',
  positionals: ['rule'],
  flags: { yes: { type: 'boolean', description: 'confirm; without this flag nothing is deleted' } },
  async run({ client, output, positionals, flags }) {
    const rule = await findRule(client, positionals[0])
    if (!flags.yes)
      throw new UsageError(`This would delete the rule "${rule.name}" and its decisions. Add --yes to confirm.`)
    await client.deleteRule(rule.id)
    output.message(`Deleted the rule "${removeControlCharacters(rule.name)}".`)
  },
})

/** `on`, `paused` or `blocked: provider_missing`. */
export function describeState({ is_enabled, blocked }: Pick<Rule, 'is_enabled' | 'blocked'>): string {
  if (!is_enabled) return 'paused'
  return blocked === null ? 'on' : `blocked: ${blocked.reason}`
}

/** @throws NotFoundError */
export async function findRule(client: Client, name = ''): Promise<Rule> {
  if (isUuid(name)) return await client.readRule(name)
  const found = (await collect(client.listRules({ search: name }))).find((rule) => rule.name === name)
  if (found === undefined) throw new NotFoundError(`There is no rule "${name}".`)
  return found
}

async function findProject(client: Client, name: string): Promise<string> {
  if (isUuid(name)) return name
  return (await client.readProject({ projectName: name })).id
}

interface DefinitionFlags {
  readonly project?: readonly string[]
  readonly filter?: string
  readonly rate?: string
  readonly evaluator?: readonly string[]
  readonly dataset?: string
  readonly queue?: string
}

async function readDefinition(client: Client, flags: DefinitionFlags): Promise<RuleWrite['definition']> {
  if (flags.project === undefined) throw new UsageError('Name at least one project with --project, or give --file.')
  const rate = flags.rate === undefined ? 1 : Number(flags.rate)
  if (!(rate >= 0 && rate <= 1) || flags.rate?.trim() === '') throw new UsageError('--rate is a share from 0 to 1.')
  const actions = await readActions(client, flags)
  if (actions.length === 0) throw new UsageError('Give at least one of --evaluator, --dataset and --queue, or --file.')
  const projectIds: string[] = []
  for (const name of flags.project) projectIds.push(await findProject(client, name))
  const filter = flags.filter ?? null
  return { project_ids: projectIds, filter, sampling_rate: rate, actions }
}

async function readActions(client: Client, { evaluator = [], dataset, queue }: DefinitionFlags): Promise<RuleAction[]> {
  const actions: RuleAction[] = []
  for (const name of evaluator) actions.push({ kind: 'evaluate', evaluator_id: (await findEvaluator(client, name)).id })
  if (dataset !== undefined) actions.push({ kind: 'add_to_dataset', dataset_id: await findDataset(client, dataset) })
  if (queue !== undefined) actions.push({ kind: 'add_to_queue', queue_id: await findQueue(client, queue) })
  return actions
}

async function findDataset(client: Client, name: string): Promise<string> {
  return isUuid(name) ? name : (await client.readDataset({ datasetName: name })).id
}

async function findQueue(client: Client, name: string): Promise<string> {
  if (isUuid(name)) return name
  const found = (await collect(client.listAnnotationQueues({ name }))).find((queue) => queue.name === name)
  if (found === undefined) throw new NotFoundError(`There is no annotation queue "${name}".`)
  return found.id
}

/** The server checks the definition. */
async function readDefinitionFile(file: string): Promise<RuleWrite['definition']> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${file} cannot be read: ${error.code}.`)
  })
  try {
    return JSON.parse(text) as RuleWrite['definition']
  } catch (error) {
    throw new UsageError(`${file} is no JSON: ${(error as Error).message}.`)
  }
}

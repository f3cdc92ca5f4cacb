import { infiniteQueryOptions, keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query'
import type {
  Rule,
  RuleBackfillState,
  RuleBackfillWrite,
  RuleCounts,
  RuleState,
  RuleTry,
  RuleUpdate,
  RuleWindow,
  RuleWrite,
} from '@touchstone/sdk'
import { clientOf, RuleCalls } from '@touchstone/sdk/api'
import { connection } from '#lib/api/client.ts'

const client = clientOf(connection, RuleCalls)

/** How often pages of rules ask again: a rule looks every second. */
const REFRESH_MS = 10_000
const LOG_PAGE = 50

export const ruleQuery = {
  all: () => ['rules'] as const,
  /** All rules of the workspace, by name; at most 200. */
  list: () =>
    queryOptions({
      queryKey: [...ruleQuery.all(), 'list'],
      queryFn: ({ signal }) => collect(client.listRules({}, { signal })),
      refetchInterval: REFRESH_MS,
    }),
  /** Decisions of the last 24 hours, by rule. */
  counts: () =>
    queryOptions({
      queryKey: [...ruleQuery.all(), 'counts'],
      queryFn: async ({ signal }): Promise<ReadonlyMap<string, RuleCounts>> => {
        const counts = await client.countRuleDecisions('24h', { signal })
        return new Map(counts.map((one) => [one.rule_id, one]))
      },
      refetchInterval: REFRESH_MS,
      structuralSharing: false,
      meta: { quiet: true },
    }),
  one: (id: string) =>
    queryOptions({
      queryKey: [...ruleQuery.all(), 'one', id],
      queryFn: ({ signal }) => client.readRule(id, { signal }),
      refetchInterval: REFRESH_MS,
    }),
  funnel: (id: string, window: RuleWindow) =>
    queryOptions({
      queryKey: [...ruleQuery.all(), 'funnel', id, window],
      queryFn: ({ signal }) => client.readRuleFunnel(id, window, { signal }),
      refetchInterval: REFRESH_MS,
      placeholderData: keepPreviousData,
      meta: { quiet: true },
    }),
  spend: (id: string) =>
    queryOptions({
      queryKey: [...ruleQuery.all(), 'spend', id],
      queryFn: ({ signal }) => client.readRuleSpend(id, { signal }),
      meta: { quiet: true },
    }),
  backfills: (id: string) =>
    queryOptions({
      queryKey: [...ruleQuery.all(), 'backfills', id],
      queryFn: ({ signal }) => collect(client.listRuleBackfills(id, { limit: 20 }, { signal })),
      refetchInterval: REFRESH_MS,
      meta: { quiet: true },
    }),
  /** The newest hundred versions, newest first. */
  versions: (id: string) =>
    queryOptions({
      queryKey: [...ruleQuery.all(), 'versions', id],
      queryFn: ({ signal }) => collect(client.listRuleVersions(id, { limit: 100 }, { signal })),
    }),
  decisions: (id: string, state: RuleState | undefined) =>
    infiniteQueryOptions({
      queryKey: [...ruleQuery.all(), 'decisions', id, state],
      queryFn: ({ pageParam: cursor, signal }) =>
        client.readRuleDecisions(id, { state, cursor, limit: LOG_PAGE }, { signal }),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: (page) => page.next_cursor ?? undefined,
    }),
  explain: (runId: string) =>
    queryOptions({
      queryKey: [...ruleQuery.all(), 'explain', runId],
      queryFn: ({ signal }) => client.explainRules(runId, { signal }),
    }),
  /** What a definition would have done in the last 24 hours. */
  forecast: (definition: RuleWrite['definition']) =>
    queryOptions({
      queryKey: ['rule-forecast', definition],
      queryFn: ({ signal }) => client.dryRunRule({ definition }, { signal }),
      placeholderData: keepPreviousData,
      staleTime: 30_000,
      retry: false,
      meta: { quiet: true },
    }),
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}

export const ruleMutation = {
  create: (queryClient: QueryClient) => ({
    mutationFn: (rule: RuleWrite) => client.createRule(rule),
    onSuccess: () => refresh(queryClient),
  }),
  /** A refusal may mean that another version was saved meanwhile, so the rule is read again. */
  update: (queryClient: QueryClient, id: string) => ({
    mutationFn: (change: RuleUpdate): Promise<Rule> => client.updateRule(id, change),
    onSettled: () => refresh(queryClient),
  }),
  delete: (queryClient: QueryClient, id: string) => ({
    mutationFn: () => client.deleteRule(id),
    onSuccess: () => {
      queryClient.removeQueries({ queryKey: ruleQuery.one(id).queryKey })
      return queryClient.invalidateQueries({ queryKey: ruleQuery.list().queryKey })
    },
  }),
  /** Runs the evaluators of a definition on a few runs and stores nothing. */
  try: () => ({ mutationFn: (body: RuleTry) => client.tryRule(body) }),
  redo: (queryClient: QueryClient, id: string) => ({
    mutationFn: (runIds: readonly string[]) => client.redoRule(id, runIds),
    onSuccess: () => refresh(queryClient),
  }),
  backfill: (queryClient: QueryClient, id: string) => ({
    mutationFn: (body: RuleBackfillWrite) => client.createRuleBackfill(id, body),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ruleQuery.backfills(id).queryKey }),
  }),
  updateBackfill: (queryClient: QueryClient, id: string) => ({
    mutationFn: ({ backfillId, state }: { backfillId: string; state: RuleBackfillState }) =>
      client.updateRuleBackfill(id, backfillId, state),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ruleQuery.backfills(id).queryKey }),
  }),
}

function refresh(queryClient: QueryClient): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: ruleQuery.all() })
}

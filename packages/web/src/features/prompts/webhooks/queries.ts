import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { PromptWebhook, PromptWebhookTrigger } from '@touchstone/sdk'
import { clientOf, PromptWebhookCalls } from '@touchstone/sdk/api'
import { connection } from '#lib/api/client.ts'

const client = clientOf(connection, PromptWebhookCalls)

export const webhookQuery = {
  all: () => ['prompt-webhooks'] as const,
  /** Newest first. */
  list: () =>
    queryOptions({
      queryKey: [...webhookQuery.all(), 'list'],
      queryFn: ({ signal }) => client.listPromptWebhooks({ signal }),
    }),
  /** The newest deliveries; read again while one is on its way. */
  deliveries: (id: string, limit: number) =>
    queryOptions({
      queryKey: [...webhookQuery.all(), 'deliveries', id, limit],
      queryFn: ({ signal }) => client.listPromptWebhookDeliveries(id, { limit }, { signal }),
      refetchInterval: ({ state }) =>
        state.data?.deliveries.some(({ status }) => status === 'pending') ? 3_000 : false,
      meta: { quiet: true },
    }),
}

export interface WebhookFields {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly triggers: readonly PromptWebhookTrigger[]
  /** Ids of the prompts whose events are delivered; none means all. */
  readonly includePrompts: readonly string[]
  readonly excludePrompts: readonly string[]
}

type WebhookChange = Partial<WebhookFields> & { id: string; expected: Partial<WebhookFields> }

const toParams = ({ headers, ...fields }: Partial<WebhookFields>) => ({
  ...fields,
  ...(headers && { headers: { ...headers } }),
})

/** The webhook as it is stored now. */
export const readWebhook = (id: string): Promise<PromptWebhook> => client.readPromptWebhook(id)

export const webhookMutation = {
  create: (queryClient: QueryClient) => ({
    mutationFn: ({ headers, ...fields }: WebhookFields) =>
      client.createPromptWebhook({ ...fields, headers: { ...headers } }),
    onSuccess: () => refreshWebhooks(queryClient),
  }),
  update: (queryClient: QueryClient) => ({
    /** @param expected  the changed fields as they were read */
    mutationFn: ({ id, expected, ...changes }: WebhookChange) =>
      client.updatePromptWebhook(id, { ...toParams(changes), expected: toParams(expected) }),
    onSuccess: () => refreshWebhooks(queryClient),
  }),
  rotate: (queryClient: QueryClient) => ({
    mutationFn: (id: string) => client.updatePromptWebhook(id, { rotateSecret: true }),
    onSuccess: () => refreshWebhooks(queryClient),
  }),
  delete: (queryClient: QueryClient) => ({
    mutationFn: (id: string) => client.deletePromptWebhook(id),
    onSettled: () => refreshWebhooks(queryClient),
  }),
  /** Delivers an example at once. */
  test: () => ({
    mutationFn: ({ id, url, headers }: Pick<PromptWebhook, 'id' | 'url' | 'headers'>) =>
      client.testPromptWebhook({ id, url, headers }),
  }),
  redeliver: (queryClient: QueryClient, id: string) => ({
    mutationFn: (deliveryId: string) => client.redeliverPromptWebhook(id, deliveryId),
    onSuccess: () => refreshWebhooks(queryClient),
  }),
}

function refreshWebhooks(queryClient: QueryClient): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: webhookQuery.all() })
}

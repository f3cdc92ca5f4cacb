import { Client } from '@touchstone/sdk'
import type { Locator, Page } from 'playwright-core'
import { FAKE_TEXT, type FakeProvider, startFakeProvider } from './fake-provider.ts'
import { openWorkspace, type Ui } from './start-ui.ts'

/** What the model answers. */
export const ANSWER = FAKE_TEXT.join('')

export interface PlaygroundUi {
  readonly ui: Ui
  readonly client: Client
  readonly fake: FakeProvider
  /** The path of the playground. */
  path(search?: string): string
  /** Adds a provider with the model `fake-model`. @returns its id */
  addProvider(name: string): Promise<string>
  /** The requests that models got, newest last. */
  calls(): FakeProvider['heard'][number]['body'][]
  stop(): Promise<void>
}

/** A new workspace without a provider, and a model that runs in this process. */
export async function startPlayground(): Promise<PlaygroundUi> {
  const fake = await startFakeProvider()
  const ui = await openWorkspace()
  const client = new Client({ apiUrl: `${ui.server.url}/api/v1`, webUrl: ui.server.url })
  return {
    ui,
    client,
    fake,
    path: (search = '') => `/o/${ui.tenant}/playground${search}`,
    async addProvider(name) {
      const models = ['fake-model']
      return (await client.createModelProvider({ name, kind: 'openai-chat', base_url: fake.url, models })).id
    },
    calls: () => fake.heard.filter(({ method }) => method === 'POST').map(({ body }) => body),
    async stop() {
      await ui.stop()
      await fake.close()
    },
  }
}

export const variant = (page: Page, name = 'A') => page.getByRole('article', { name: `Variant ${name}` })

/** The content of a message in the column of a variant, from 1. */
export const message = (column: Locator, at: number) =>
  column.getByRole('textbox', { name: new RegExp(`^Content of Message ${at} of`) })

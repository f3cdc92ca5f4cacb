import { Client, type ClientConfig } from 'langsmith'

/** The public client as a user would set it up, pointed at a server (or a tap before it); by default the newest version. */
export function aClient(serverUrl: string, config: ClientConfig = {}, Version = Client): Client {
  return new Version({ apiUrl: `${serverUrl}/api/v1`, apiKey: 'any key while the server is open', ...config })
}

/** Names that no other test uses. */
export function aProjectName(word: string): string {
  return `${word}-${Math.random().toString(36).slice(2, 10)}`
}

/** All items of an async list. */
export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}

// Creates an example with an attachment, in whatever runs this.
import { Client } from '@touchstone/sdk'

const apiUrl = (globalThis.process?.argv ?? []).at(-1)
const client = new Client({ apiUrl, apiKey: 'k' })
const bytes = Uint8Array.from({ length: 256 }, (_, at) => at)
const { id } = await client.createExample({
  dataset_name: 'cities',
  inputs: { text: 'é\u2028' },
  attachments: { 'photo "1".png': ['image/png', bytes] },
})
console.log(id)

const { Client } = require('@touchstone/sdk')
const { traceable } = require('@touchstone/sdk/traceable')

async function main() {
  const client = new Client({ apiUrl: process.argv.at(-1) })
  const inner = traceable(async () => 1, { name: 'inner' })
  await traceable(async () => inner(), { name: 'outer', client, tracingEnabled: true })()
}

main()

#!/usr/bin/env node
// `npx touchstone` and `npx touchstone --port 3001` start the server; everything else is a command.
const [first] = process.argv.slice(2)
const isHelp = first === '--help' || first === '-h'
if (first === undefined || (first.startsWith('-') && !isHelp)) process.argv.splice(2, 0, 'start')
await import('@touchstone/cli/dist/main.js')

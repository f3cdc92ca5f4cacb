// node measure-sdk.mjs <entry> <import|off|on|large>: prints one JSON object of figures; plain JavaScript on the built
// package, so that nothing but the package is measured.
import { monitorEventLoopDelay } from 'node:perf_hooks'

const [entry, what] = process.argv.slice(2)
const began = performance.now()
const { traceable } = await import(entry)
const imported = performance.now() - began
if (what === 'import') {
  console.log(JSON.stringify({ ms: imported }))
  process.exit(0)
}

const payload = what === 'large' ? 'x'.repeat(1 << 20) : 'what is a run?'
const traced = traceable(async (question) => ({ answer: question }), { name: 'bench', run_type: 'chain' })
const plain = async (question) => ({ answer: question })
const calls = { off: 200_000, on: 5_000, large: 40 }[what]

await loop(traced, Math.min(calls, 500))
await new Promise((resolve) => setTimeout(resolve, 600))
const delay = monitorEventLoopDelay({ resolution: 1 })
delay.enable()
const cpu = process.cpuUsage()
const start = performance.now()
await loop(traced, calls)
const inCalls = performance.now() - start
// What the background does with the runs counts too.
await new Promise((resolve) => setTimeout(resolve, what === 'off' ? 0 : 1_500))
const { user, system } = process.cpuUsage(cpu)
delay.disable()
const base = what === 'off' ? await timed(plain, calls) : 0
const us = what === 'off' ? ((inCalls - base) * 1000) / calls : (user + system) / calls
console.log(JSON.stringify({ us, stall: delay.max / 1e6 }))
process.exit(0)

async function loop(call, times) {
  for (let at = 0; at < times; at++) {
    await call(payload)
    // A server does other things between runs.
    if (what !== 'off' && at % 20 === 19) await new Promise((resolve) => setImmediate(resolve))
  }
}

async function timed(call, times) {
  const from = performance.now()
  await loop(call, times)
  return performance.now() - from
}

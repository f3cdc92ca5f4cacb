import { Agent, request } from 'node:http'

/**
 * Polls `/ok` every few milliseconds on separate connections while some work is running.
 *
 * @returns the result of the work, and the longest time in milliseconds that a response took or was overdue
 */
export async function longestSilence<Result>(
  url: string,
  work: () => Promise<Result>,
  everyMs = 5,
): Promise<{ readonly result: Result; readonly silenceMs: number }> {
  const agent = new Agent({ keepAlive: true, maxSockets: 4 })
  const pending = new Set<number>()
  let silenceMs = 0
  const ask = () => {
    if (pending.size >= 4) return
    const askedAt = performance.now()
    pending.add(askedAt)
    const done = () => {
      if (pending.delete(askedAt)) silenceMs = Math.max(silenceMs, performance.now() - askedAt)
    }
    request(`${url}/ok`, { agent }, (answer) => answer.resume().once('end', done).once('error', done))
      .once('error', done)
      .end()
  }
  const timer = setInterval(ask, everyMs)
  try {
    const result = await work()
    await until(() => pending.size === 0, 60_000)
    return { result, silenceMs }
  } finally {
    clearInterval(timer)
    agent.destroy()
  }
}

async function until(isDone: () => boolean, patienceMs: number): Promise<void> {
  const deadline = performance.now() + patienceMs
  while (!isDone() && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 5))
}

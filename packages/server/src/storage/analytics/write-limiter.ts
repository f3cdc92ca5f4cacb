/** Lets writes through at once, until somebody needs the store to stand still for a moment. */
export interface WriteLimiter {
  /** Runs a write that a closing gate waits for; while the gate is closed it does not begin. */
  write<Result>(work: () => Promise<Result>): Promise<Result>
  /** Runs a write that may take long, and that a closing gate does not wait for; while it is closed it does not begin. */
  writeSlowly<Result>(work: () => Promise<Result>): Promise<Result>
  /** Waits for the writes that are running, runs `work` while others wait, and opens again, also after a failure. */
  close<Result>(work: () => Promise<Result>): Promise<Result>
}

export function createWriteLimiter(): WriteLimiter {
  const running = new Set<Promise<unknown>>()
  let closed: Promise<void> | undefined

  // Nothing may be awaited between a look at `closed` and what follows from it, so each loop stands where it is needed.
  return {
    async write(work) {
      while (closed !== undefined) await closed
      const write = work()
      running.add(write)
      try {
        return await write
      } finally {
        running.delete(write)
      }
    },
    async writeSlowly(work) {
      while (closed !== undefined) await closed
      return work()
    },
    async close(work) {
      while (closed !== undefined) await closed
      let open = () => {}
      closed = new Promise((resolve) => {
        open = () => {
          closed = undefined
          resolve()
        }
      })
      try {
        await Promise.allSettled(running)
        return await work()
      } finally {
        open()
      }
    },
  }
}

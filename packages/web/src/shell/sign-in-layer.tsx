import { lazy, Suspense, useSyncExternalStore } from 'react'

const SignInAgain = lazy(() => import('./sign-in-again.tsx').then((module) => ({ default: module.SignInAgain })))

let asked: string | undefined
const listeners = new Set<() => void>()

/** Asks the person of this address for their password, over whatever page is open. */
export function askToSignInAgain(email: string | undefined): void {
  asked = email
  for (const listener of listeners) listener()
}

/** Mounted once, beside the pages. */
export function SignInLayer() {
  const email = useSyncExternalStore(subscribe, () => asked)
  if (email === undefined) return null
  return (
    <Suspense>
      <SignInAgain email={email} onDone={() => askToSignInAgain(undefined)} />
    </Suspense>
  )
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

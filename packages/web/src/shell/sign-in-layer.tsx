import { Suspense } from 'react'
import { createStore, useStore } from '#lib/store.ts'
import { lazyExtra } from '#ui/lazy.tsx'

const SignInAgain = lazyExtra(() => import('./sign-in-again.tsx').then((module) => module.SignInAgain))

/** The email address whose session has expired; undefined while the session is valid. */
const expiredEmail = createStore<string | undefined>(() => undefined)

/** Opens the sign-in dialog over the current page. */
export function askToSignInAgain(email: string): void {
  expiredEmail.write(email)
}

/** Mounted once, beside the pages. */
export function SignInLayer() {
  const email = useStore(expiredEmail)
  if (email === undefined) return null
  return (
    <Suspense>
      <SignInAgain email={email} onDone={() => expiredEmail.write(undefined)} />
    </Suspense>
  )
}

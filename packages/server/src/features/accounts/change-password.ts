import { ApiError } from '@touchstone/contract'
import type { Caller } from '../../http/caller.ts'
import { getPerson } from './get-person.ts'
import { hashPassword, isPassword } from './password.ts'
import { type SignInDeps, TOO_MANY_PASSWORDS } from './sign-in.ts'
import { deleteSignIns, updatePerson } from './store.ts'

/** Wrong passwords of one sign-in within a quarter of an hour. Others cannot use them up. */
const MISTAKES = 10

/**
 * Changes the caller's own password and ends all their sign-ins but the one they came by.
 *
 * @throws ApiError FORBIDDEN for keys, INVALID_REQUEST when the current password is wrong, RATE_LIMITED
 */
export async function changePassword(
  deps: SignInDeps,
  caller: Caller,
  { current, next }: { readonly current: string; readonly next: string },
): Promise<void> {
  const person = await getPerson(deps, caller)
  const guess = deps.guesses.reserve([[`change ${caller.signInId}`, MISTAKES]], TOO_MANY_PASSWORDS)
  if (!(await isPassword(current, person.password_hash))) {
    throw new ApiError('INVALID_REQUEST', undefined, {
      problems: [{ loc: ['body', 'current_password'], msg: 'is not your password', type: 'custom' }],
    })
  }
  guess.wasRight()
  const password_hash = await hashPassword(next)
  await deps.relational.transaction(async (tx) => {
    await updatePerson(tx, person.id, { password_hash })
    await deleteSignIns(tx, person.id, caller.signInId)
  })
  deps.signIns.forget()
}

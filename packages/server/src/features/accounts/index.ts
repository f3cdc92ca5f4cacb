export { addPerson } from './add-person.ts'
export { Attempts } from './attempts.ts'
export { callerOfPerson } from './caller-of-person.ts'
export { readCookie } from './cookie.ts'
export { emailOf, getPerson } from './get-person.ts'
export {
  countAdmins,
  insertMembership,
  lockPerson,
  removeAccountWithoutWorkspace,
  selectMember,
  selectMembers,
  selectMembershipsOf,
  updateMembership,
} from './memberships.ts'
export { type AccountDeps, type Exchange, openSignIn } from './open-sign-in.ts'
export { hashPassword } from './password.ts'
export { presentMe } from './present.ts'
export { accountRoutes } from './routes.ts'
export { checkPassword, type SignInDeps } from './sign-in.ts'
export { SignIns } from './sign-ins.ts'
export { existsPerson, selectPersonByEmail } from './store.ts'
export { type MemberRow, memberships, people } from './tables.ts'
export { hashOfToken, newToken } from './token.ts'

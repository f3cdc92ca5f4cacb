export { type MemberRow, memberships, type PersonRow, people } from '../../storage/relational/tables/accounts.ts'
export { readCookie } from './cookies.ts'
export {
  addAdmin,
  countAdmins,
  getMembership,
  insertMembership,
  lockPerson,
  removeAccountWithoutWorkspace,
  selectMember,
  selectMembers,
  selectMemberships,
  selectRoles,
  updateMembership,
} from './memberships.ts'
export { hashPassword } from './password.ts'
export { addPerson, findEmail, getPerson, presentMe, toPersonCaller } from './people.ts'
export { accountRoutes, serverAdminRoutes } from './routes.ts'
export { hashToken, newToken } from './secrets.ts'
export { lockServer, ServerIds, selectDefaultWorkspaceId } from './server-ids.ts'
export { wasSetUp } from './set-up.ts'
export { readSetupCode } from './set-up-code.ts'
export { type AccountDeps, checkPassword, type Exchange, openSignIn, type SignInDeps, SignIns } from './sign-in.ts'
export { existsPerson, recordSetUp, selectPersonByEmail, updateSignInWorkspace } from './store.ts'

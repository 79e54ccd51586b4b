/** The options of git's sub-commands, in the notation of program-options.ts. Apart from the other programs, because it is a third of them all. */

/**
 * Sources: `git COMMAND -h` of git 2.39, with the options of git 2.47's manual that these lack; the options of diff and log are from
 * git-diff(1) and git-log(1), filter-repo's from its --help.
 */
export const gitSubcommands: { readonly [command: string]: string } = {
  add: "n,dry-run v,verbose i,interactive p,patch e,edit f,force u,update renormalize N,intent-to-add A,all ignore-removal refresh ignore-errors ignore-missing sparse chmod= pathspec-from-file= pathspec-file-nul",
  am: "i,interactive 3,3way q,quiet s,signoff u,utf8 k,keep keep-non-patch m,message-id keep-cr no-keep-cr c,scissors quoted-cr= whitespace= ignore-space-change ignore-whitespace directory= exclude= include= C= p= patch-format= reject resolvemsg= continue r,resolved skip abort quit show-current-patch? allow-empty committer-date-is-author-date ignore-date rerere-autoupdate S,gpg-sign? empty=",
  apply:
    "exclude= include= p= no-add stat numstat summary check index N,intent-to-add cached unsafe-paths apply 3,3way build-fake-ancestor= z C= whitespace= ignore-space-change ignore-whitespace R,reverse unidiff-zero reject allow-overlap v,verbose q,quiet inaccurate-eof recount directory= allow-empty",
  blame:
    "incremental b root show-stats progress score-debug f,show-name n,show-number p,porcelain line-porcelain c t l s e,show-email w ignore-rev= ignore-revs-file= color-lines color-by-age minimal S= contents= C? M? L= abbrev?",
  branch:
    "v,verbose q,quiet t,track? u,set-upstream-to= unset-upstream color? r,remotes contains= no-contains= abbrev? a,all d,delete D>delete>force m,move M>move>force c,copy C>copy>force l,list show-current create-reflog edit-description f,force merged= no-merged= column? sort= points-at= i,ignore-case recurse-submodules format=",
  checkout:
    "b= B= l guess overlay q,quiet recurse-submodules? progress m,merge conflict= d,detach t,track? f,force orphan= overwrite-ignore ignore-other-worktrees 2,ours 3,theirs p,patch ignore-skip-worktree-bits pathspec-from-file= pathspec-file-nul",
  "cherry-pick":
    "quit continue abort skip cleanup= n,no-commit e,edit s,signoff m,mainline= rerere-autoupdate strategy= X,strategy-option= S,gpg-sign? x ff allow-empty allow-empty-message keep-redundant-commits",
  clean: "q,quiet n,dry-run f,force i,interactive d e,exclude= x X",
  clone:
    "v,verbose q,quiet progress reject-shallow n,no-checkout bare mirror l,local no-hardlinks s,shared recurse-submodules? recursive? j,jobs= template= reference= reference-if-able= dissociate o,origin= b,branch= u,upload-pack= depth= shallow-since= shallow-exclude= single-branch no-tags shallow-submodules separate-git-dir= c,config= server-option= 4,ipv4 6,ipv6 filter= also-filter-submodules remote-submodules sparse bundle-uri=",
  commit:
    "q,quiet v,verbose F,file= author= date= m,message= c,reedit-message= C,reuse-message= fixup? squash= reset-author trailer= s,signoff t,template= e,edit cleanup= status S,gpg-sign? a,all i,include interactive p,patch o,only n,no-verify dry-run short branch ahead-behind porcelain long z,null amend no-post-rewrite u,untracked-files? pathspec-from-file= pathspec-file-nul",
  config:
    "global system local worktree f,file= blob= get get-all get-regexp get-urlmatch replace-all add unset unset-all rename-section remove-section l,list fixed-value e,edit get-color get-colorbool t,type= bool int bool-or-int bool-or-str path expiry-date z,null name-only includes show-origin show-scope default=",
  describe:
    "contains debug all tags long first-parent abbrev? exact-match candidates= match= exclude= always dirty? broken?",
  fetch:
    "v,verbose q,quiet all set-upstream a,append atomic upload-pack= f,force m,multiple t,tags n j,jobs= prefetch p,prune P,prune-tags recurse-submodules? dry-run write-fetch-head k,keep u,update-head-ok progress depth= shallow-since= shallow-exclude= deepen= unshallow refetch update-shallow refmap= o,server-option= 4,ipv4 6,ipv6 negotiation-tip= negotiate-only filter= auto-maintenance auto-gc show-forced-updates write-commit-graph stdin",
  gc: "q,quiet prune? cruft aggressive auto force keep-largest-pack",
  grep: "cached no-index untracked exclude-standard recurse-submodules v,invert-match i,ignore-case w,word-regexp a,text I textconv r,recursive max-depth= E,extended-regexp G,basic-regexp F,fixed-strings P,perl-regexp n,line-number column h H full-name l,files-with-matches name-only L,files-without-match z,null o,only-matching c,count color? break heading C,context= B,before-context= A,after-context= threads= p,show-function W,function-context f= e= q,quiet all-match O,open-files-in-pager? ext-grep m,max-count=",
  init: "template= bare shared? q,quiet separate-git-dir= b,initial-branch= object-format=",
  "ls-files":
    "z t v f c,cached d,deleted m,modified o,others i,ignored s,stage k,killed directory eol empty-directory u,unmerged resolve-undo x,exclude= X,exclude-from= exclude-per-directory= exclude-standard full-name recurse-submodules error-unmatch with-tree= abbrev? debug deduplicate sparse format=",
  merge:
    "n stat summary log? squash commit e,edit cleanup= ff ff-only rerere-autoupdate verify-signatures s,strategy= X,strategy-option= m,message= F,file= into-name= v,verbose q,quiet abort quit continue allow-unrelated-histories progress S,gpg-sign? autostash overwrite-ignore signoff no-verify",
  mv: "v,verbose n,dry-run f,force k sparse",
  pull: "v,verbose q,quiet progress recurse-submodules? r,rebase? n stat log? signoff? squash commit edit cleanup= ff ff-only verify verify-signatures autostash s,strategy= X,strategy-option= S,gpg-sign? allow-unrelated-histories all a,append upload-pack= f,force t,tags p,prune j,jobs? dry-run k,keep depth= shallow-since= shallow-exclude= deepen= unshallow update-shallow refmap= o,server-option= 4,ipv4 6,ipv6 negotiation-tip= show-forced-updates set-upstream",
  push: "v,verbose q,quiet repo= all mirror d,delete tags n,dry-run porcelain f,force force-with-lease? force-if-includes recurse-submodules= thin receive-pack= exec= u,set-upstream progress prune no-verify follow-tags signed? atomic o,push-option= 4,ipv4 6,ipv6",
  rebase:
    "onto= keep-base no-verify q,quiet v,verbose n,no-stat signoff committer-date-is-author-date reset-author-date C= ignore-whitespace whitespace= f,force-rebase no-ff continue skip abort quit edit-todo show-current-patch apply m,merge i,interactive rerere-autoupdate empty= autosquash update-refs S,gpg-sign? autostash x,exec= r,rebase-merges? fork-point s,strategy= X,strategy-option= root reschedule-failed-exec reapply-cherry-picks",
  reset:
    "q,quiet no-refresh mixed soft hard merge keep recurse-submodules? p,patch N,intent-to-add pathspec-from-file= pathspec-file-nul",
  restore:
    "s,source= S,staged W,worktree ignore-unmerged overlay q,quiet recurse-submodules? progress m,merge conflict= 2,ours 3,theirs p,patch ignore-skip-worktree-bits pathspec-from-file= pathspec-file-nul",
  revert:
    "quit continue abort skip cleanup= n,no-commit e,edit s,signoff m,mainline= rerere-autoupdate strategy= X,strategy-option= S,gpg-sign? reference",
  rm: "n,dry-run q,quiet cached f,force r ignore-unmatch sparse pathspec-from-file= pathspec-file-nul",
  status:
    "v,verbose s,short b,branch show-stash ahead-behind porcelain? long z,null u,untracked-files? ignored? ignore-submodules? column? no-renames M,find-renames?",
  switch:
    "c,create= C,force-create= guess discard-changes q,quiet recurse-submodules? progress m,merge conflict= d,detach t,track? f,force orphan= overwrite-ignore ignore-other-worktrees",
  tag: "l,list n? d,delete v,verify a,annotate m,message= F,file= e,edit s,sign cleanup= u,local-user= f,force create-reflog column? contains= no-contains= merged= no-merged= sort= points-at= format= color? i,ignore-case",
  "update-ref": "m= d no-deref z stdin create-reflog",
  diff: "p,u,patch s,no-patch U,unified= output= raw patch-with-raw indent-heuristic minimal patience histogram anchored= diff-algorithm= stat? numstat shortstat dirstat? summary patch-with-stat z name-only name-status submodule? color? no-color color-moved? word-diff? word-diff-regex= color-words? no-renames check ws-error-highlight= full-index binary abbrev? B,break-rewrites? M,find-renames? C,find-copies? find-copies-harder D,irreversible-delete l= diff-filter= S= G= find-object= pickaxe-all pickaxe-regex O= skip-to= rotate-to= R relative? a,text ignore-cr-at-eol ignore-space-at-eol b,ignore-space-change w,ignore-all-space ignore-blank-lines I,ignore-matching-lines= inter-hunk-context= W,function-context exit-code quiet ext-diff no-ext-diff textconv no-textconv ignore-submodules? src-prefix= dst-prefix= no-prefix cached staged merge-base no-index",
  log: "q,quiet source use-mailmap mailmap decorate? decorate-refs= decorate-refs-exclude= L= n,max-count= skip= since,after= until,before= author= committer= grep= all-match invert-grep i,regexp-ignore-case E,extended-regexp F,fixed-strings P,perl-regexp merges no-merges first-parent not all branches? tags? remotes? glob= exclude= reflog g,walk-reflogs follow oneline abbrev-commit format,pretty? graph date= parents children left-right cherry cherry-pick cherry-mark boundary simplify-by-decoration reverse show-signature c cc m encoding= notes? p,u,patch s,no-patch U,unified= output= raw patch-with-raw indent-heuristic minimal patience histogram anchored= diff-algorithm= stat? numstat shortstat dirstat? summary patch-with-stat z name-only name-status submodule? color? no-color color-moved? word-diff? word-diff-regex= color-words? no-renames check ws-error-highlight= full-index binary abbrev? B,break-rewrites? M,find-renames? C,find-copies? find-copies-harder D,irreversible-delete l= diff-filter= S= G= find-object= pickaxe-all pickaxe-regex O= skip-to= rotate-to= R relative? a,text ignore-cr-at-eol ignore-space-at-eol b,ignore-space-change w,ignore-all-space ignore-blank-lines I,ignore-matching-lines= inter-hunk-context= W,function-context exit-code ext-diff no-ext-diff textconv no-textconv ignore-submodules? src-prefix= dst-prefix= no-prefix cached staged merge-base no-index",
  show: "q,quiet source use-mailmap mailmap decorate? decorate-refs= decorate-refs-exclude= L= n,max-count= skip= since,after= until,before= author= committer= grep= all-match invert-grep i,regexp-ignore-case E,extended-regexp F,fixed-strings P,perl-regexp merges no-merges first-parent not all branches? tags? remotes? glob= exclude= reflog g,walk-reflogs follow oneline abbrev-commit format,pretty? graph date= parents children left-right cherry cherry-pick cherry-mark boundary simplify-by-decoration reverse show-signature c cc m encoding= notes? p,u,patch s,no-patch U,unified= output= raw patch-with-raw indent-heuristic minimal patience histogram anchored= diff-algorithm= stat? numstat shortstat dirstat? summary patch-with-stat z name-only name-status submodule? color? no-color color-moved? word-diff? word-diff-regex= color-words? no-renames check ws-error-highlight= full-index binary abbrev? B,break-rewrites? M,find-renames? C,find-copies? find-copies-harder D,irreversible-delete l= diff-filter= S= G= find-object= pickaxe-all pickaxe-regex O= skip-to= rotate-to= R relative? a,text ignore-cr-at-eol ignore-space-at-eol b,ignore-space-change w,ignore-all-space ignore-blank-lines I,ignore-matching-lines= inter-hunk-context= W,function-context exit-code ext-diff no-ext-diff textconv no-textconv ignore-submodules? src-prefix= dst-prefix= no-prefix cached staged merge-base no-index",
  stash:
    "k,keep-index S,staged p,patch q,quiet u,include-untracked a,all m,message= pathspec-from-file= pathspec-file-nul",
  remote: "v,verbose",
  submodule: "q,quiet cached",
  "stash push":
    "k,keep-index S,staged p,patch q,quiet u,include-untracked a,all m,message= pathspec-from-file= pathspec-file-nul",
  "stash save": "k,keep-index S,staged p,patch q,quiet u,include-untracked a,all",
  "stash pop": "index q,quiet",
  "stash apply": "index q,quiet",
  "stash drop": "q,quiet",
  "stash clear": "",
  "stash list": "",
  "stash show": "p,patch u,include-untracked only-untracked",
  "worktree add": "f,force b= B= d,detach checkout lock reason= q,quiet track guess-remote orphan",
  "worktree remove": "f,force",
  "worktree prune": "n,dry-run v,verbose expire=",
  "worktree list": "v,verbose porcelain z expire=",
  "remote add": "f,fetch tags no-tags t,track= m,master= mirror?",
  "remote remove": "",
  "remote set-url": "push add delete",
  "remote prune": "n,dry-run",
  "remote update": "p,prune",
  "submodule add": "b,branch= f,force q,quiet reference= name= depth= progress dissociate",
  "submodule update":
    "init remote N,no-fetch f,force checkout merge rebase recommend-shallow reference= recursive single-branch depth= j,jobs= filter= progress dissociate",
  "submodule deinit": "f,force all",
  "submodule foreach": "recursive",
  "reflog expire": "n,dry-run rewrite updateref verbose expire= expire-unreachable= stale-fix all single-worktree",
  "reflog delete": "n,dry-run rewrite updateref verbose",
  "filter-branch":
    "setup= subdirectory-filter= env-filter= tree-filter= index-filter= parent-filter= msg-filter= commit-filter= tag-name-filter= prune-empty original= d= f,force state-branch=",
  "filter-repo":
    "analyze f,force path= invert-paths path-glob= path-regex= paths-from-file= replace-text= strip-blobs-bigger-than= refs= mailmap= subdirectory-filter=",
};

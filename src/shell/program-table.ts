/**
 * The one table of programs: how they read their options, what runs other programs and how, and whose arguments are more than data. For
 * programs as coding agents use them. It is closed where it matters: an option of a program that runs others and that is not here means
 * that it is not known what runs (SAFETY.md, D6), so a forgotten one asks too often and never too little. What a program that is not here
 * does with an argument is up to who writes the line; its options are compared word by word. Data, apart from programs.ts, which reads it.
 *
 * Sources: `--help` and manual pages of GNU coreutils 9.1, util-linux 2.40, bash 5.2, sudo 1.9, tar 1.34, grep 3.8, sed 4.9, findutils 4.9, wget 1.21,
 * make 4.3, procps 4, systemd 252, curl 7.88, OpenSSH 9.2, rsync 3.2, PostgreSQL 15, MySQL 8.0, docker 28.2, kubectl 1.32, helm 3.17, terraform 1.11,
 * npm 11.19, pnpm 10, yarn 1.22, cargo 1.95, go 1.24, pip 23, gh 2.70, aws-cli 2.27, apt 2.6, and of the package runners of 2025; `git COMMAND -h`
 * of git 2.39 with what git 2.47's manual adds. GNU's and BSD's letters stand together where they do not differ.
 *
 * A line for the programs of these names: `names | how | its own options`. Below it, each with a blank before it: `sub-command: its options`;
 * ` = ` other names of sub-commands; ` > ` after how many operands of a sub-command another program stands; ` ~ ` all sub-commands, where they
 * may be shortened. `$name:` names a text, which stands where other lines say `$name`. A later line of a name adds to the earlier.
 *
 * Options: `f,force` two names of one option, the last is the one that counts; `m,message=` takes a value; `S,gpg-sign?` takes one only if it
 * is attached; `c,command$` takes a shell line, `O,pager?$` only if it is attached; `m!` takes a program's name, and what follows is for that
 * program; `version.` runs nothing; `#` any number is an option; `-list` a long name behind one dash; `D>delete>force` stands for these names.
 *
 * How: the words are the fields of a row in programs.ts.
 */
export const table = `
$postgres: h,host= p,port= U,username= w,no-password W,password V,version ?,help
$container: add-host= annotation= a,attach= blkio-weight= blkio-weight-device= cap-add= cap-drop= cgroup-parent= cgroupns= cidfile= cpu-period= cpu-quota= cpu-rt-period= cpu-rt-runtime= c,cpu-shares= cpus= cpuset-cpus= cpuset-mems= d,detach detach-keys= device= device-cgroup-rule= device-read-bps= device-read-iops= device-write-bps= device-write-iops= disable-content-trust dns= dns-option= dns-search= domainname= entrypoint= e,env= env-file= expose= gpus= group-add= health-cmd= health-interval= health-retries= health-start-interval= health-start-period= health-timeout= h,hostname= init i,interactive ip= ip6= ipc= isolation= l,label= label-file= link= link-local-ip= log-driver= log-opt= mac-address= m,memory= memory-reservation= memory-swap= memory-swappiness= mount= name= net,network= network-alias= no-healthcheck oom-kill-disable oom-score-adj= pid= pids-limit= platform= privileged p,publish= P,publish-all pull= q,quiet read-only restart= rm runtime= security-opt= shm-size= sig-proxy stop-signal= stop-timeout= storage-opt= sysctl= tmpfs= t,tty ulimit= u,user= userns= uts= v,volume= volume-driver= volumes-from= w,workdir=
$printed: allow-missing-template-keys o,output= show-managed-fields template=
$chosen: f,filename= k,kustomize= R,recursive l,selector=
$helmChart: atomic ca-file= cert-file= create-namespace dependency-update description= devel disable-openapi-validation dry-run? enable-dns f,values= force g,generate-name insecure-skip-tls-verify key-file= keyring= l,labels= name-template= no-hooks o,output= password= post-renderer= render-subchart-notes replace repo= set= set-file= set-json= set-literal= set-string= skip-crds timeout= username= verify version= wait wait-for-jobs
$terraformRun: auto-approve backup= compact-warnings destroy input= json lock-timeout= lock= no-color parallelism= refresh= refresh-only replace= state-out= state= target= var= var-file=
$cargoBuild: message-format= v,verbose q,quiet color= config= Z= p,package= workspace exclude= all lib bins bin= examples example= tests test= benches bench= all-targets F,features= all-features no-default-features r,release profile= j,jobs= keep-going target= target-dir= artifact-dir= unit-graph timings manifest-path= ignore-rust-version locked offline frozen
$goBuild: C= a n p= race msan asan cover covermode= coverpkg= v work x asmflags= buildmode= buildvcs= compiler= gcflags= installsuffix= ldflags= linkshared mod= modcacherw modfile= overlay= pgo= pkgdir= tags= trimpath toolexec= o=
$ghRepo: R,repo=
$mysql: h,host= P,port= u,user= p,password? S,socket= D,database= e,execute= f,force b,no-beep B,batch s,silent v,verbose N,skip-column-names E,vertical t,table H,html X,xml r,raw C,compress default-character-set= protocol= ssl-mode= ssl-ca= defaults-file= defaults-extra-file= no-defaults login-path= connect-timeout= init-command= w,wait q,quick A,no-auto-rehash
rm | | f,force i I interactive? one-file-system no-preserve-root preserve-root? r,R,recursive d,dir v,verbose P W x
cp | | a,archive attributes-only backup? b copy-contents d f,force i,interactive H l,link L,dereference n,no-clobber P,no-dereference p preserve? no-preserve= parents r,R,recursive reflink? remove-destination sparse= strip-trailing-slashes s,symbolic-link S,suffix= t,target-directory= T,no-target-directory u,update v,verbose x,one-file-system Z context?
mv | | backup? b f,force i,interactive n,no-clobber strip-trailing-slashes S,suffix= t,target-directory= T,no-target-directory u,update v,verbose Z,context
ln | | backup? b d,F,directory f,force i,interactive L,logical n,h,no-dereference P,physical r,relative s,symbolic S,suffix= t,target-directory= T,no-target-directory v,verbose
mkdir | | m,mode= p,parents v,verbose Z context?
rmdir | | ignore-fail-on-non-empty p,parents v,verbose
chmod | | c,changes f,silent,quiet v,verbose no-preserve-root preserve-root reference= R,recursive h,no-dereference
chown chgrp | | c,changes f,silent,quiet v,verbose dereference h,no-dereference from= no-preserve-root preserve-root reference= R,recursive H L P
touch | | a c,no-create d,date= f h,no-dereference m r,reference= t= time=
shred | | f,force n,iterations= random-source= s,size= u>remove remove? v,verbose x,exact z,zero
truncate | | c,no-create o,io-blocks r,reference= s,size=
tee | | a,append i,ignore-interrupts p output-error?
install ginstall | | backup? b c C,compare d,directory D g,group= m,mode= o,owner= p,preserve-timestamps s,strip strip-program$ S,suffix= t,target-directory= T,no-target-directory v,verbose Z context?
ls | | a,all A,almost-all author b,escape block-size= B,ignore-backups c C color? d,directory D,dired f F,classify? file-type format= full-time g group-directories-first G,no-group h,human-readable si H,dereference-command-line hide= hyperlink? indicator-style= i,inode I,ignore= k,kibibytes l L,dereference m n,numeric-uid-gid N,literal o p q,hide-control-chars show-control-chars Q,quote-name quoting-style= r,reverse R,recursive s,size S sort= time= time-style= t T,tabsize= u U v w,width= x X Z,context zero 1
cat | | A,show-all b,number-nonblank e E,show-ends n,number s,squeeze-blank t T,show-tabs u v,show-nonprinting
head | | c,bytes= n,lines= q,silent,quiet v,verbose z,zero-terminated
tail | | c,bytes= f,follow? F n,lines= max-unchanged-stats= pid= q,silent,quiet retry s,sleep-interval= v,verbose z,zero-terminated
sort | | b,ignore-leading-blanks d,dictionary-order f,ignore-case g,general-numeric-sort i,ignore-nonprinting M,month-sort h,human-numeric-sort n,numeric-sort R,random-sort random-source= r,reverse sort= V,version-sort batch-size= c,check? C compress-program$ debug files0-from= k,key= m,merge o,output= s,stable S,buffer-size= t,field-separator= T,temporary-directory= parallel= u,unique z,zero-terminated
find | flags | name= iname= path= ipath= wholename= regex= iregex= type= xtype= size= empty mtime= atime= ctime= mmin= amin= cmin= newer= perm= user= group= uid= gid= links= inum= maxdepth= mindepth= depth d delete print print0 printf= fprint= fprint0= fprintf= fls= ls prune quit exec= execdir= ok= okdir= follow mount xdev regextype= samefile= lname= fstype= executable readable writable nouser nogroup not and or a o true false H L P D= files0-from=
dd | assignments |
tar gtar bsdtar | bundled | A,catenate,concatenate c,create delete d,diff,compare r,append test-label t,list u,update x,get,extract check-device g,listed-incremental= G,incremental hole-detection= ignore-failed-read level= no-check-device no-seek n,seek occurrence? sparse-version= S,sparse add-file= C,cd,directory= exclude= exclude-backups exclude-caches exclude-caches-all exclude-caches-under exclude-ignore= exclude-ignore-recursive= exclude-tag= exclude-tag-all= exclude-tag-under= exclude-vcs exclude-vcs-ignores no-null no-recursion no-unquote no-verbatim-files-from null recursion T,files-from= unquote verbatim-files-from X,exclude-from= anchored ignore-case no-anchored no-ignore-case no-wildcards no-wildcards-match-slash wildcards wildcards-match-slash keep-directory-symlink keep-newer-files k,keep-old-files no-overwrite-dir one-top-level? overwrite overwrite-dir recursive-unlink remove-files skip-old-files U,unlink-first W,verify ignore-command-error no-ignore-command-error O,to-stdout to-command$ atime-preserve? clamp-mtime delay-directory-restore group= group-map= mode= mtime= m,touch no-delay-directory-restore no-same-owner no-same-permissions numeric-owner owner= owner-map= p,same-permissions,preserve-permissions same-owner sort= s,same-order,preserve-order acls no-acls no-selinux no-xattrs selinux xattrs xattrs-exclude= xattrs-include= force-local f,file= F,info-script,new-volume-script$ L,tape-length= M,multi-volume rmt-command$ rsh-command$ volno-file= b,blocking-factor= B,read-full-records i,ignore-zeros record-size= H,format= old-archive,portability pax-option= posix V,label= a,auto-compress I,use-compress-program$ j,bzip2 J,xz lzip lzma lzop no-auto-compress zstd z,gunzip,ungzip,gzip Z,uncompress,compress backup? hard-dereference h,dereference K,starting-file= newer-mtime= N,newer,after-date= one-file-system P,absolute-names suffix= strip-components= xform,transform= checkpoint? checkpoint-action$ full-time index-file= l,check-links no-quote-chars= quote-chars= quoting-style= R,block-number show-defaults show-omitted-dirs show-stored-names,show-transformed-names totals? utc v,verbose warning= w,confirmation,interactive restrict
gzip gunzip bzip2 xz zstd | | c,stdout d,uncompress,decompress f,force k,keep l,list n,no-name N,name q,quiet r,recursive S,suffix= t,test v,verbose 1,fast 9,best
unzip | | p f u v x= n o j U C X K l t q a b d= P=
sed gsed | | n,silent,quiet debug e,expression= f,file= follow-symlinks i,in-place? l,line-length= posix E,r,regexp-extended s,separate sandbox u,unbuffered z,null-data
grep egrep fgrep ggrep | | E,extended-regexp F,fixed-strings G,basic-regexp P,perl-regexp e,regexp= f,file= y,i,ignore-case no-ignore-case w,word-regexp x,line-regexp z,null-data s,no-messages v,invert-match V,version m,max-count= b,byte-offset n,line-number line-buffered H,with-filename h,no-filename label= o,only-matching q,silent,quiet binary-files= a,text I d,directories= D,devices= r,recursive R,dereference-recursive include= exclude= exclude-from= exclude-dir= L,files-without-match l,files-with-matches c,count T,initial-tab Z,null B,before-context= A,after-context= C,context= group-separator= no-group-separator colour,color? U,binary
rg | exact | e,regexp= f,file= i,ignore-case s,case-sensitive S,smart-case F,fixed-strings w,word-regexp x,line-regexp v,invert-match n,line-number N,no-line-number l,files-with-matches files-without-match c,count o,only-matching q,quiet r,replace= t,type= T,type-not= g,glob= iglob= A,after-context= B,before-context= C,context= m,max-count= d,max-depth= hidden . u,unrestricted no-ignore L,follow U,multiline P,pcre2 pre$ pre-glob= z,search-zip j,threads= a,text files color= json sort= H,with-filename I,no-filename M,max-columns= 0,null hostname-bin$
curl | | abstract-unix-socket= alt-svc= anyauth a,append aws-sigv4= basic cacert= capath= E,cert= cert-status cert-type= ciphers= compressed compressed-ssh K,config= connect-timeout= connect-to= C,continue-at= b,cookie= c,cookie-jar= create-dirs create-file-mode= crlf crlfile= curves= d,data= data-ascii= data-binary= data-raw= data-urlencode= delegation= digest q,disable disable-eprt disable-epsv disallow-username-in-url dns-interface= dns-ipv4-addr= dns-ipv6-addr= dns-servers= doh-cert-status doh-insecure doh-url= D,dump-header= egd-file= engine= etag-compare= etag-save= expect100-timeout= f,fail fail-early fail-with-body false-start F,form= form-escape form-string= ftp-account= ftp-alternative-to-user= ftp-create-dirs ftp-method= ftp-pasv P,ftp-port= ftp-pret ftp-skip-pasv-ip ftp-ssl-ccc ftp-ssl-ccc-mode= ftp-ssl-control G,get g,globoff happy-eyeballs-timeout-ms= haproxy-protocol I,head H,header= h,help hostpubmd5= hostpubsha256= hsts= http0.9 0,http1.0 http1.1 http2 http2-prior-knowledge http3 http3-only ignore-content-length i,include k,insecure interface= 4,ipv4 6,ipv6 json= j,junk-session-cookies keepalive-time= key= key-type= krb= libcurl= limit-rate= l,list-only local-port= L,location location-trusted login-options= mail-auth= mail-from= mail-rcpt= mail-rcpt-allowfails M,manual max-filesize= max-redirs= m,max-time= negotiate n,netrc netrc-file= netrc-optional no-alpn N,no-buffer no-clobber no-keepalive no-npn no-progress-meter no-sessionid noproxy= ntlm ntlm-wb oauth2-bearer= o,output= output-dir= Z,parallel parallel-immediate parallel-max= pass= path-as-is pinnedpubkey= post301 post302 post303 preproxy= #,progress-bar proto= proto-default= proto-redir= x,proxy= proxy-anyauth proxy-basic proxy-cacert= proxy-capath= proxy-cert= proxy-cert-type= proxy-ciphers= proxy-crlfile= proxy-digest proxy-header= proxy-insecure proxy-key= proxy-key-type= proxy-negotiate proxy-ntlm proxy-pass= proxy-pinnedpubkey= proxy-service-name= proxy-ssl-allow-beast proxy-ssl-auto-client-cert proxy-tls13-ciphers= proxy-tlsauthtype= proxy-tlspassword= proxy-tlsuser= proxy-tlsv1 U,proxy-user= proxy1.0= p,proxytunnel pubkey= Q,quote= random-file= r,range= rate= raw e,referer= J,remote-header-name O,remote-name remote-name-all R,remote-time remove-on-error X,request= request-target= resolve= retry= retry-all-errors retry-connrefused retry-delay= retry-max-time= sasl-authzid= sasl-ir service-name= S,show-error s,silent socks4= socks4a= socks5= socks5-basic socks5-gssapi socks5-gssapi-nec socks5-gssapi-service= socks5-hostname= Y,speed-limit= y,speed-time= ssl ssl-allow-beast ssl-auto-client-cert ssl-no-revoke ssl-reqd ssl-revoke-best-effort 2,sslv2 3,sslv3 stderr= styled-output suppress-connect-headers tcp-fastopen tcp-nodelay t,telnet-option= tftp-blksize= tftp-no-options z,time-cond= tls-max= tls13-ciphers= tlsauthtype= tlspassword= tlsuser= 1,tlsv1 tlsv1.0 tlsv1.1 tlsv1.2 tlsv1.3 tr-encoding trace= trace-ascii= trace-time unix-socket= T,upload-file= url= url-query= B,use-ascii u,user= A,user-agent= v,verbose V,version w,write-out= xattr
wget | | V,version h,help b,background e,execute= o,output-file= a,append-output= d,debug q,quiet v,verbose no-verbose report-speed= i,input-file= F,force-html B,base= config= no-config rejected-log= t,tries= retry-connrefused retry-on-http-error= O,output-document= no-clobber no-netrc c,continue start-pos= progress= show-progress N,timestamping no-if-modified-since no-use-server-timestamps S,server-response spider T,timeout= dns-timeout= connect-timeout= read-timeout= w,wait= waitretry= random-wait no-proxy Q,quota= bind-address= limit-rate= no-dns-cache restrict-file-names= ignore-case 4,inet4-only 6,inet6-only prefer-family= user= password= ask-password use-askpass$ no-iri local-encoding= remote-encoding= unlink xattr no-directories x,force-directories no-host-directories protocol-directories P,directory-prefix= cut-dirs= http-user= http-password= no-cache default-page= E,adjust-extension ignore-length header= compression= max-redirect= proxy-user= proxy-password= referer= save-headers U,user-agent= no-http-keep-alive no-cookies load-cookies= save-cookies= keep-session-cookies post-data= post-file= method= body-data= body-file= content-disposition content-on-error auth-no-challenge secure-protocol= https-only no-check-certificate certificate= certificate-type= private-key= private-key-type= ca-certificate= ca-directory= crl-file= pinnedpubkey= ciphers= no-hsts hsts-file= ftp-user= ftp-password= no-remove-listing no-glob no-passive-ftp preserve-permissions retr-symlinks r,recursive l,level= delete-after k,convert-links convert-file-only backups? K,backup-converted m,mirror p,page-requisites strict-comments A,accept= R,reject= accept-regex= reject-regex= regex-type= D,domains= exclude-domains= follow-ftp follow-tags= ignore-tags= H,span-hosts L,relative I,include-directories= trust-server-names X,exclude-directories= no-parent
$ssh: 4 6 A a C f G g K k N n q s T t V. v X x Y y B= b= c= D= E= e= F= I= i= J= L= l= m= O= o$ P= p= Q= R= S= W= w=
ssh | mixed runs=1 | $ssh M
autossh | partly | $ssh 1 M=
scp | | 3 4 6 A B C O p q R r s T v c= D= F= i= J= l= o$ P= S$ X=
sftp | | 4 6 A a C f N p q r v B= b= c= D= F= i= J= l= o$ P= R= S$ s= X=
rsync | | v,verbose info= debug= stderr= q,quiet no-motd c,checksum a,archive r,recursive R,relative no-implied-dirs b,backup backup-dir= suffix= u,update inplace append append-verify d,old-dirs,dirs mkpath l,links L,copy-links copy-unsafe-links safe-links munge-links k,copy-dirlinks K,keep-dirlinks H,hard-links p,perms E,executability chmod= A,acls X,xattrs o,owner g,group devices specials D>devices>specials copy-devices t,times U,atimes open-noatime N,crtimes O,omit-dir-times J,omit-link-times super fake-super S,sparse preallocate n,dry-run W,whole-file checksum-choice= x,one-file-system B,block-size= e,rsh$ rsync-path= existing ignore-existing remove-source-files del,delete delete-before>delete>delete-before delete-during>delete>delete-during delete-delay>delete>delete-delay delete-after>delete>delete-after delete-excluded>delete>delete-excluded ignore-missing-args delete-missing-args ignore-errors force max-delete= max-size= min-size= max-alloc= partial partial-dir= delay-updates m,prune-empty-dirs numeric-ids usermap= groupmap= chown= timeout= contimeout= I,ignore-times size-only @,modify-window= T,temp-dir= y,fuzzy compare-dest= copy-dest= link-dest= z,compress compress-choice= compress-level= skip-compress= C,cvs-exclude f,filter= F exclude= exclude-from= include= include-from= files-from= 0,from0 old-args s,secluded-args trust-sender copy-as= address= port= sockopts= blocking-io outbuf= stats 8,8-bit-output h,human-readable progress P>partial>progress i,itemize-changes M,remote-option= out-format= log-file= log-file-format= password-file= early-input= list-only bwlimit= stop-after= stop-at= fsync write-batch= only-write-batch= read-batch= protocol= iconv= checksum-seed= 4,ipv4 6,ipv6 no-owner no-group no-perms no-times
nc ncat netcat | | 4 6 c= C D d e= F h I= i= k l M= m= N n O= P= p= q= r S s= T= t U u V= v W= w= X= x= Z z
kill | signals | s,n,signal= l,list? L,table a,all p,pid q,queue= timeout= verbose
pkill pgrep | signals | signal= q,queue= e,echo c,count f,full g,pgroup= G,group= i,ignore-case l,list-name n,newest o,oldest O,older= P,parent= s,session= t,terminal= u,euid= U,uid= x,exact F,pidfile= L,logpidfile r,runstates= A,ignore-ancestors ns= nslist=
killall | signals | e,exact I,ignore-case g,process-group y,younger-than= o,older-than= i,interactive l,list q,quiet r,regexp s,signal= u,user= v,verbose w,wait n,ns= V,version Z,context=
systemctl | subcommands | system user H,host= M,machine= C,capsule= t,type= state= failed p,property= P= a,all l,full r,recursive reverse before after with-dependencies job-mode= T,show-transaction show-types value check-inhibitors= i kill-whom= kill-value= s,signal= what= now dry-run q,quiet wait no-block no-wall no-reload legend= no-pager no-ask-password global runtime f,force preset-mode= root= image= n,lines= o,output= firmware-setup boot-loader-menu= boot-loader-entry= plain timestamp= read-only mkdir marked
journalctl | | system user M,machine= m,merge D,directory= file= root= S,since= U,until= c,cursor= b,boot? u,unit= user-unit= t,identifier= p,priority= facility= g,grep= case-sensitive? k,dmesg o,output= output-fields= n,lines? r,reverse show-cursor utc x,catalog no-hostname no-full a,all f,follow no-tail q,quiet no-pager e,pager-end disk-usage vacuum-size= vacuum-files= vacuum-time= verify sync flush rotate header list-boots
crontab | | u= l r e i s
shutdown reboot poweroff halt | | H,halt P,poweroff r,reboot h k no-wall c show f,force p w,wtmp-only d,no-wtmp
useradd usermod | | a,append b,base-dir= c,comment= d,home,home-dir= D,defaults e,expiredate= f,inactive= g,gid= G,groups= k,skel= K,key= l,login= L,lock m,create-home,move-home M,no-create-home N,no-user-group o,non-unique p,password= r,system,remove R,root= s,shell= u,uid= U,user-group,unlock
userdel | | f,force r,remove R,root=
mount umount | | a,all f,fake,force n,no-mtab o,options= t,types= r,read-only w,rw B,bind R,rbind M,move L,label= U,uuid= l,lazy d,detach-loop v,verbose
iptables ip6tables | | A,append= C,check= D,delete= I,insert= R,replace= L,list? S,list-rules? F,flush? Z,zero? N,new-chain= X,delete-chain? P,policy= E,rename-chain= p,protocol,proto= s,source,src= d,destination,dst= j,jump= g,goto= i,in-interface= o,out-interface= f,fragment m,match= n,numeric t,table= v,verbose w,wait? x,exact line-numbers dport,destination-port= sport,source-port=
sudo | wraps assignments runs=0 folder=chdir | A,askpass b,background B,bell E preserve-env? H,set-home i,login K,remove-timestamp. k,reset-timestamp l,list. n,non-interactive P,preserve-groups S,stdin s,shell v,validate. V,version. C,close-from= D,chdir= g,group= h,host= p,prompt= R,chroot= r,role= t,type= T,command-timeout= U,other-user= u,user= N,no-update help.
doas | wraps assignments runs=0 | n s L. a= C= u=
env | wraps assignments runs=0 folder=chdir | i,ignore-environment 0,null v,debug u,unset= C,chdir= S,split-string= block-signal? default-signal? ignore-signal? list-signal-handling help. version.
nohup | wraps runs=0 | help. version.
setsid | wraps runs=0 | c,ctty f,fork w,wait help. version.
time | wraps runs=0 | p,portability v,verbose a,append V,version. o,output= f,format= q,quiet help.
command | wraps builtin runs=0 | p v. V.
builtin | wraps builtin runs=0 |
exec | wraps runs=0 | c l a=
nice | wraps runs=0 | # n,adjustment= help. version.
ionice | wraps runs=0 | c,class= n,classdata= t,ignore p,pid. P. u. help. version.
timeout | wraps runs=1 | k,kill-after= s,signal= f,foreground p,preserve-status v,verbose help. version.
xargs | wraps runs=0 | 0,null p,interactive r,no-run-if-empty t,verbose x,exit o,open-tty a,arg-file= d,delimiter= E= e,eof? I= i,replace? L= l,max-lines? n,max-args= P,max-procs= s,max-chars= process-slot-var= R= S= show-limits help. version.
python pypy | runs=0 | b B c= d E h i I m! O P q s S u v V W= x X= check-hash-based-pycs=
node nodejs | exact runs=0 | e,eval= p,print= c,check i,interactive r,require= import= loader,experimental-loader= C,conditions= env-file= inspect? inspect-brk? max-old-space-size= test watch v,version
bash sh dash zsh | plus runs=0 | c i l,login s e u x v,verbose n o= O= norc noprofile posix r,restricted rcfile,init-file= a b f h m p t B C D E H P T noediting debugger pretty-print help. version.
perl | runs=0 | e= E= n p i? l? 0? a F= w W c v M= m= I= s S T U x? C?
ruby | runs=0 | e= n p i? l a F= w W? c v I= r= s S x? C= 0? K?
php | runs=0 | r,run= f,file= B,process-begin= R,process-code= F,process-file= E,process-end= S,server= t,docroot= c,php-ini= d,define= n a i l,syntax-check v w z,zend-extension=
java | flags runs=0 | jar= cp= classpath= m= module= p= module-path= version showversion ea da server client verbose agentlib= agentpath= javaagent=
make gmake | assignments | b,m B,always-make C,directory= d debug? e,environment-overrides E,eval$ f,makefile,file= i,ignore-errors I,include-dir= j,jobs? k,keep-going l,max-load,load-average? L,check-symlink-times n,just-print,recon,dry-run o,old-file,assume-old= O,output-sync? p,print-data-base q,question r,no-builtin-rules R,no-builtin-variables s,silent,quiet S,stop,no-keep-going t,touch trace v,version w,print-directory no-print-directory W,what-if,new-file,assume-new= warn-undefined-variables
git | own-first | C= c= p,paginate P,no-pager h,help. v,version. git-dir= work-tree= namespace= super-prefix= config-env= attr-source= list-cmds= bare no-replace-objects literal-pathspecs glob-pathspecs noglob-pathspecs icase-pathspecs no-optional-locks no-lazy-fetch no-advice exec-path? html-path. man-path. info-path.
 add: n,dry-run v,verbose i,interactive p,patch e,edit f,force u,update renormalize N,intent-to-add A,all ignore-removal refresh ignore-errors ignore-missing sparse chmod= pathspec-from-file= pathspec-file-nul
 am: i,interactive 3,3way q,quiet s,signoff u,utf8 k,keep keep-non-patch m,message-id keep-cr no-keep-cr c,scissors quoted-cr= whitespace= ignore-space-change ignore-whitespace directory= exclude= include= C= p= patch-format= reject resolvemsg= continue r,resolved skip abort quit show-current-patch? allow-empty committer-date-is-author-date ignore-date rerere-autoupdate S,gpg-sign? empty=
 apply: exclude= include= p= no-add stat numstat summary check index N,intent-to-add cached unsafe-paths apply 3,3way build-fake-ancestor= z C= whitespace= ignore-space-change ignore-whitespace R,reverse unidiff-zero reject allow-overlap v,verbose q,quiet inaccurate-eof recount directory= allow-empty
 blame: incremental b root show-stats progress score-debug f,show-name n,show-number p,porcelain line-porcelain c t l s e,show-email w ignore-rev= ignore-revs-file= color-lines color-by-age minimal S= contents= C? M? L= abbrev?
 branch: v,verbose q,quiet t,track? u,set-upstream-to= unset-upstream color? r,remotes contains= no-contains= abbrev? a,all d,delete D>delete>force m,move M>move>force c,copy C>copy>force l,list show-current create-reflog edit-description f,force merged= no-merged= column? sort= points-at= i,ignore-case recurse-submodules format=
 checkout: b= B= l guess overlay q,quiet recurse-submodules? progress m,merge conflict= d,detach t,track? f,force orphan= overwrite-ignore ignore-other-worktrees 2,ours 3,theirs p,patch ignore-skip-worktree-bits pathspec-from-file= pathspec-file-nul
 cherry-pick: quit continue abort skip cleanup= n,no-commit e,edit s,signoff m,mainline= rerere-autoupdate strategy= X,strategy-option= S,gpg-sign? x ff allow-empty allow-empty-message keep-redundant-commits
 clean: q,quiet n,dry-run f,force i,interactive d e,exclude= x X
 clone: v,verbose q,quiet progress reject-shallow n,no-checkout bare mirror l,local no-hardlinks s,shared recurse-submodules? recursive? j,jobs= template= reference= reference-if-able= dissociate o,origin= b,branch= u,upload-pack$ depth= shallow-since= shallow-exclude= single-branch no-tags shallow-submodules separate-git-dir= c,config= server-option= 4,ipv4 6,ipv6 filter= also-filter-submodules remote-submodules sparse bundle-uri=
 commit: q,quiet v,verbose F,file= author= date= m,message= c,reedit-message= C,reuse-message= fixup? squash= reset-author trailer= s,signoff t,template= e,edit cleanup= status S,gpg-sign? a,all i,include interactive p,patch o,only n,no-verify dry-run short branch ahead-behind porcelain long z,null amend no-post-rewrite u,untracked-files? pathspec-from-file= pathspec-file-nul
 config: global system local worktree f,file= blob= get get-all get-regexp get-urlmatch replace-all add unset unset-all rename-section remove-section l,list fixed-value e,edit get-color get-colorbool t,type= bool int bool-or-int bool-or-str path expiry-date z,null name-only includes show-origin show-scope default=
 describe: contains debug all tags long first-parent abbrev? exact-match candidates= match= exclude= always dirty? broken?
 fetch: v,verbose q,quiet all set-upstream a,append atomic upload-pack$ f,force m,multiple t,tags n j,jobs= prefetch p,prune P,prune-tags recurse-submodules? dry-run write-fetch-head k,keep u,update-head-ok progress depth= shallow-since= shallow-exclude= deepen= unshallow refetch update-shallow refmap= o,server-option= 4,ipv4 6,ipv6 negotiation-tip= negotiate-only filter= auto-maintenance auto-gc show-forced-updates write-commit-graph stdin
 gc: q,quiet prune? cruft aggressive auto force keep-largest-pack
 grep: cached no-index untracked exclude-standard recurse-submodules v,invert-match i,ignore-case w,word-regexp a,text I textconv r,recursive max-depth= E,extended-regexp G,basic-regexp F,fixed-strings P,perl-regexp n,line-number column h H full-name l,files-with-matches name-only L,files-without-match z,null o,only-matching c,count color? break heading C,context= B,before-context= A,after-context= threads= p,show-function W,function-context f= e= q,quiet all-match O,open-files-in-pager?$ ext-grep m,max-count=
 init: template= bare shared? q,quiet separate-git-dir= b,initial-branch= object-format=
 ls-files: z t v f c,cached d,deleted m,modified o,others i,ignored s,stage k,killed directory eol empty-directory u,unmerged resolve-undo x,exclude= X,exclude-from= exclude-per-directory= exclude-standard full-name recurse-submodules error-unmatch with-tree= abbrev? debug deduplicate sparse format=
 merge: n stat summary log? squash commit e,edit cleanup= ff ff-only rerere-autoupdate verify-signatures s,strategy= X,strategy-option= m,message= F,file= into-name= v,verbose q,quiet abort quit continue allow-unrelated-histories progress S,gpg-sign? autostash overwrite-ignore signoff no-verify
 mv: v,verbose n,dry-run f,force k sparse
 pull: v,verbose q,quiet progress recurse-submodules? r,rebase? n stat log? signoff? squash commit edit cleanup= ff ff-only verify verify-signatures autostash s,strategy= X,strategy-option= S,gpg-sign? allow-unrelated-histories all a,append upload-pack$ f,force t,tags p,prune j,jobs? dry-run k,keep depth= shallow-since= shallow-exclude= deepen= unshallow update-shallow refmap= o,server-option= 4,ipv4 6,ipv6 negotiation-tip= show-forced-updates set-upstream
 push: v,verbose q,quiet repo= all mirror d,delete tags n,dry-run porcelain f,force force-with-lease? force-if-includes recurse-submodules= thin receive-pack$ exec$ u,set-upstream progress prune no-verify follow-tags signed? atomic o,push-option= 4,ipv4 6,ipv6
 rebase: onto= keep-base no-verify q,quiet v,verbose n,no-stat signoff committer-date-is-author-date reset-author-date C= ignore-whitespace whitespace= f,force-rebase no-ff continue skip abort quit edit-todo show-current-patch apply m,merge i,interactive rerere-autoupdate empty= autosquash update-refs S,gpg-sign? autostash x,exec$ r,rebase-merges? fork-point s,strategy= X,strategy-option= root reschedule-failed-exec reapply-cherry-picks
 reset: q,quiet no-refresh mixed soft hard merge keep recurse-submodules? p,patch N,intent-to-add pathspec-from-file= pathspec-file-nul
 restore: s,source= S,staged W,worktree ignore-unmerged overlay q,quiet recurse-submodules? progress m,merge conflict= 2,ours 3,theirs p,patch ignore-skip-worktree-bits pathspec-from-file= pathspec-file-nul
 revert: quit continue abort skip cleanup= n,no-commit e,edit s,signoff m,mainline= rerere-autoupdate strategy= X,strategy-option= S,gpg-sign? reference
 rm: n,dry-run q,quiet cached f,force r ignore-unmatch sparse pathspec-from-file= pathspec-file-nul
 status: v,verbose s,short b,branch show-stash ahead-behind porcelain? long z,null u,untracked-files? ignored? ignore-submodules? column? no-renames M,find-renames?
 switch: c,create= C,force-create= guess discard-changes q,quiet recurse-submodules? progress m,merge conflict= d,detach t,track? f,force orphan= overwrite-ignore ignore-other-worktrees
 tag: l,list n? d,delete v,verify a,annotate m,message= F,file= e,edit s,sign cleanup= u,local-user= f,force create-reflog column? contains= no-contains= merged= no-merged= sort= points-at= format= color? i,ignore-case
 update-ref: m= d no-deref z stdin create-reflog
 diff: p,u,patch s,no-patch U,unified= output= raw patch-with-raw indent-heuristic minimal patience histogram anchored= diff-algorithm= stat? numstat shortstat dirstat? summary patch-with-stat z name-only name-status submodule? color? no-color color-moved? word-diff? word-diff-regex= color-words? no-renames check ws-error-highlight= full-index binary abbrev? B,break-rewrites? M,find-renames? C,find-copies? find-copies-harder D,irreversible-delete l= diff-filter= S= G= find-object= pickaxe-all pickaxe-regex O= skip-to= rotate-to= R relative? a,text ignore-cr-at-eol ignore-space-at-eol b,ignore-space-change w,ignore-all-space ignore-blank-lines I,ignore-matching-lines= inter-hunk-context= W,function-context exit-code quiet ext-diff no-ext-diff textconv no-textconv ignore-submodules? src-prefix= dst-prefix= no-prefix cached staged merge-base no-index
 log: q,quiet source use-mailmap mailmap decorate? decorate-refs= decorate-refs-exclude= L= n,max-count= skip= since,after= until,before= author= committer= grep= all-match invert-grep i,regexp-ignore-case E,extended-regexp F,fixed-strings P,perl-regexp merges no-merges first-parent not all branches? tags? remotes? glob= exclude= reflog g,walk-reflogs follow oneline abbrev-commit format,pretty? graph date= parents children left-right cherry cherry-pick cherry-mark boundary simplify-by-decoration reverse show-signature c cc m encoding= notes? p,u,patch s,no-patch U,unified= output= raw patch-with-raw indent-heuristic minimal patience histogram anchored= diff-algorithm= stat? numstat shortstat dirstat? summary patch-with-stat z name-only name-status submodule? color? no-color color-moved? word-diff? word-diff-regex= color-words? no-renames check ws-error-highlight= full-index binary abbrev? B,break-rewrites? M,find-renames? C,find-copies? find-copies-harder D,irreversible-delete l= diff-filter= S= G= find-object= pickaxe-all pickaxe-regex O= skip-to= rotate-to= R relative? a,text ignore-cr-at-eol ignore-space-at-eol b,ignore-space-change w,ignore-all-space ignore-blank-lines I,ignore-matching-lines= inter-hunk-context= W,function-context exit-code ext-diff no-ext-diff textconv no-textconv ignore-submodules? src-prefix= dst-prefix= no-prefix cached staged merge-base no-index
 show: q,quiet source use-mailmap mailmap decorate? decorate-refs= decorate-refs-exclude= L= n,max-count= skip= since,after= until,before= author= committer= grep= all-match invert-grep i,regexp-ignore-case E,extended-regexp F,fixed-strings P,perl-regexp merges no-merges first-parent not all branches? tags? remotes? glob= exclude= reflog g,walk-reflogs follow oneline abbrev-commit format,pretty? graph date= parents children left-right cherry cherry-pick cherry-mark boundary simplify-by-decoration reverse show-signature c cc m encoding= notes? p,u,patch s,no-patch U,unified= output= raw patch-with-raw indent-heuristic minimal patience histogram anchored= diff-algorithm= stat? numstat shortstat dirstat? summary patch-with-stat z name-only name-status submodule? color? no-color color-moved? word-diff? word-diff-regex= color-words? no-renames check ws-error-highlight= full-index binary abbrev? B,break-rewrites? M,find-renames? C,find-copies? find-copies-harder D,irreversible-delete l= diff-filter= S= G= find-object= pickaxe-all pickaxe-regex O= skip-to= rotate-to= R relative? a,text ignore-cr-at-eol ignore-space-at-eol b,ignore-space-change w,ignore-all-space ignore-blank-lines I,ignore-matching-lines= inter-hunk-context= W,function-context exit-code ext-diff no-ext-diff textconv no-textconv ignore-submodules? src-prefix= dst-prefix= no-prefix cached staged merge-base no-index
 stash: k,keep-index S,staged p,patch q,quiet u,include-untracked a,all m,message= pathspec-from-file= pathspec-file-nul
 remote: v,verbose
 submodule: q,quiet cached
 stash push: k,keep-index S,staged p,patch q,quiet u,include-untracked a,all m,message= pathspec-from-file= pathspec-file-nul
 stash save: k,keep-index S,staged p,patch q,quiet u,include-untracked a,all
 stash pop: index q,quiet
 stash apply: index q,quiet
 stash drop: q,quiet
 stash clear:
 stash list:
 stash show: p,patch u,include-untracked only-untracked
 worktree add: f,force b= B= d,detach checkout lock reason= q,quiet track guess-remote orphan
 worktree remove: f,force
 worktree prune: n,dry-run v,verbose expire=
 worktree list: v,verbose porcelain z expire=
 remote add: f,fetch tags no-tags t,track= m,master= mirror?
 remote remove:
 remote set-url: push add delete
 remote prune: n,dry-run
 remote update: p,prune
 submodule add: b,branch= f,force q,quiet reference= name= depth= progress dissociate
 submodule update: init remote N,no-fetch f,force checkout merge rebase recommend-shallow reference= recursive single-branch depth= j,jobs= filter= progress dissociate
 submodule deinit: f,force all
 submodule foreach: recursive
 reflog expire: n,dry-run rewrite updateref verbose expire= expire-unreachable= stale-fix all single-worktree
 reflog delete: n,dry-run rewrite updateref verbose
 filter-branch: setup$ subdirectory-filter= env-filter$ tree-filter$ index-filter$ parent-filter$ msg-filter$ commit-filter$ tag-name-filter$ prune-empty original= d= f,force state-branch=
 difftool: x,extcmd$ d,dir-diff y,no-prompt prompt g,gui t,tool= trust-exit-code staged cached
 archive: exec$ remote= o,output= format= prefix= v,verbose l,list
 ls-remote: upload-pack,exec$ h,heads t,tags refs q,quiet exit-code get-url symref sort= o,server-option=
 fetch-pack: upload-pack,exec$
 send-pack: receive-pack,exec$
 filter-repo: analyze f,force path= invert-paths path-glob= path-regex= paths-from-file= replace-text= strip-blobs-bigger-than= refs= mailmap= subdirectory-filter=
 = remote remove: remote rm; add: stage
npm | wraps after=exec,x | S,save no-save P,save-prod D,save-dev O,save-optional save-peer B,save-bundle E,save-exact g,global location= install-strategy= legacy-bundling global-style omit= include= strict-peer-deps legacy-peer-deps prefer-dedupe package-lock no-package-lock package-lock-only foreground-scripts ignore-scripts no-audit before= no-bin-links no-fund dry-run cpu= os= libc= w,workspace= ws,workspaces include-workspace-root install-links f,force tag= access= otp= provenance provenance-file= C,prefix= reg,registry= s,silent q,quiet d,verbose loglevel= json l,long p,parseable a,all depth= y,yes no package= c,call$ offline prefer-offline prefer-online cache= userconfig= globalconfig= scope= script-shell= if-present m,message= no-git-tag-version git-tag-version commit-hooks allow-same-version preid= audit-level= production only= color auth-type= v,version h,help
 token revoke:
 dist-tag add:
 dist-tag rm:
 cache clean:
 owner add:
 owner rm:
 config set:
 access set:
 = install: i, in, ins, inst, insta, instal, isnt, isnta, isntal, isntall, add; uninstall: unlink, remove, rm, r, un; ci: clean-install, ic, install-clean, isntall-clean; update: u, up, upgrade, udpate; run: run-script, rum, urn; test: t, tst; exec: x; config: c; init: create, innit; link: ln; view: v, info, show; ls: list; search: s, se, find
 > exec=0
 ~ access adduser audit bugs cache ci completion config dedupe deprecate diff dist-tag docs doctor edit exec explain explore find-dupes fund get help help-search init install install-ci-test install-test link ll login logout ls org outdated owner pack ping pkg prefix profile prune publish query rebuild repo restart root run sbom search set shrinkwrap star stars start stop team test token undeprecate uninstall unpublish unstar update version view whoami
pnpm | exact wraps after=exec,dlx | C,dir= F,filter= filter-prod= r,recursive w,workspace-root s,silent D,save-dev P,prod,production,save-prod O,save-optional E,save-exact g,global no-optional optional force frozen-lockfile no-frozen-lockfile lockfile-only ignore-scripts offline prefer-offline latest L i,interactive tag= access= dry-run otp= no-git-checks publish-branch= registry= parallel stream package= allow-build= if-present reporter= version. help.
 store prune:
 config set:
 = install: i; remove: rm, uninstall, un; update: up, upgrade; test: t, tst; run: run-script; link: ln
 > exec=0, dlx=0
yarn yarnpkg | exact | cwd= s,silent D,dev P,peer O,optional E,exact T,tilde W,ignore-workspace-root-check f,force frozen-lockfile immutable ignore-scripts ignore-engines non-interactive production? prod registry= access= tag= new-version= otp= no-git-tag-version offline json verbose modules-folder= network-timeout= A,all R,recursive p,package= q version. help.
 global add:
 global remove:
 npm publish:
 workspace run:
 cache clean:
 config set:
 > exec=0, dlx=0
npx pnpx bunx | exact wraps runs=0 | y,yes no q,quiet p,package= c,call$ no-install prefer-offline offline ignore-existing w,workspace= bun silent verbose help. version.
bun | exact | cwd= c,config= e,eval= p,print= r,preload= watch hot smol b,bun silent env-file= d,D,dev E,exact g,global f,force y,yarn no-save P,production frozen-lockfile dry-run ignore-scripts tag= access= otp= registry=
 pm trust:
 = install: i; add: a; remove: rm; create: c
 > x=0
uv | exact wraps after=run | q,quiet v,verbose offline directory= project= n,no-cache cache-dir= python-preference= p,python= color= native-tls config-file= no-config publish-url= t,token= u,username= index= r,requirements= e,editable= system break-system-packages U,upgrade P,upgrade-package= with= extra= group= all-extras no-dev dev frozen locked no-sync isolated m,module! env-file= s,script active no-project version.
 pip install:
 pip uninstall: y,yes
 pip sync:
 tool run:
 tool install: force
 python install:
 cache clean:
 > run=0, tool run=0
uvx | exact wraps runs=0 | q,quiet v,verbose p,python= from= with= refresh offline isolated no-cache spec=
pipx | exact wraps after=run runs=0 | q,quiet v,verbose p,python= from= with= refresh offline isolated no-cache spec= pip-args= index-url= fetch-missing-python version. help.
poetry | wraps after=run | q,quiet v,verbose n,no-interaction C,directory= P,project= no-cache G,group= D,dev E,extras= r,repository= u,username= p,password= build dry-run skip-existing only= without= with= sync no-root f,format= version.
 config set:
 cache clear: all
 env remove: all
 self update:
 > run=0
cargo | exact own-first | V,version list explain= v,verbose q,quiet color= C= locked offline frozen config= Z=
 build: $cargoBuild
 check: $cargoBuild
 run: $cargoBuild
 test: $cargoBuild no-run no-fail-fast doc
 bench: $cargoBuild no-run no-fail-fast
 clippy: $cargoBuild fix allow-dirty allow-staged no-deps
 fix: $cargoBuild allow-dirty allow-staged allow-no-vcs broken-code edition
 install: index= registry= git= branch= tag= rev= path= root= f,force n,dry-run no-track list message-format= debug v,verbose q,quiet color= config= Z= version,vers= bin= bins example= examples F,features= all-features no-default-features j,jobs= keep-going profile= target= target-dir= timings locked offline frozen
 uninstall: p,package= bin= root= v,verbose q,quiet
 publish: n,dry-run index= registry= token= no-verify allow-dirty v,verbose q,quiet color= config= Z= p,package= workspace exclude= F,features= all-features no-default-features j,jobs= keep-going target= target-dir= manifest-path= locked offline frozen
 yank: vers,version= undo index= registry= token= v,verbose q,quiet
 clean: doc n,dry-run v,verbose q,quiet color= p,package= workspace r,release profile= target= target-dir= manifest-path= locked offline frozen
 add: no-default-features default-features F,features= optional dev build target= rename= path= git= branch= tag= rev= registry= n,dry-run p,package= manifest-path= v,verbose q,quiet
 remove: dev build target= n,dry-run p,package= manifest-path= v,verbose q,quiet
 login: registry= v,verbose q,quiet
 = build: b; check: c; run: r; test: t; remove: rm
go | flags | exec$ toolexec$
 build: $goBuild
 install: $goBuild
 run: $goBuild exec=
 test: $goBuild args c exec= json bench= benchtime= count= cpu= failfast fullpath fuzz= fuzztime= list= parallel= run= short shuffle= skip= timeout= vet= benchmem coverprofile= cpuprofile= memprofile= outputdir= trace=
 get: $goBuild t u tool
 generate: run= skip= n v x
 clean: $goBuild i r cache testcache modcache fuzzcache
 vet: $goBuild vettool= json c=
 env: w u json changed
 mod tidy: v x e diff go= compat=
 mod init:
 mod download: x json reuse=
 > run=0
pip | | h,help debug isolated require-virtualenv python= v,verbose V,version q,quiet log= no-input keyring-provider= proxy= retries= timeout= exists-action= trusted-host= cert= client-cert= cache-dir= no-cache-dir disable-pip-version-check no-color no-python-version-warning use-feature= use-deprecated=
 install: r,requirement= c,constraint= no-deps pre e,editable= dry-run t,target= platform= python-version= implementation= abi= user root= prefix= src= U,upgrade upgrade-strategy= force-reinstall I,ignore-installed ignore-requires-python no-build-isolation use-pep517 no-use-pep517 check-build-dependencies break-system-packages C,config-settings= global-option= compile no-compile no-warn-script-location no-warn-conflicts no-binary= only-binary= prefer-binary require-hashes progress-bar= root-user-action= report= no-clean i,pypi-url,index-url= extra-index-url= no-index f,find-links=
 uninstall: r,requirement= y,yes root-user-action= break-system-packages
 download: r,requirement= c,constraint= d,dest= no-deps i,index-url= extra-index-url= no-index f,find-links= no-binary= only-binary=
 cache purge:
gem | subcommands | v,version= i,install-dir= n,bindir= N,no-document f,force a,all x,executables I,ignore-dependencies k,key= host= otp= s,source= p,http-proxy? u,update-sources g,file? conservative user-install
brew | exact subcommands | f,force q,quiet v,verbose d,debug n,dry-run cask formula formulae zap ignore-dependencies HEAD s,build-from-source g,greedy
 = uninstall: remove, rm; install: i
apt apt-get | subcommands | y,yes,assume-yes q,quiet s,simulate,just-print,no-act,recon,dry-run d,download-only f,fix-broken m,fix-missing,ignore-missing V,verbose-versions purge auto-remove,autoremove reinstall allow-downgrades allow-remove-essential allow-unauthenticated force-yes no-install-recommends install-recommends no-upgrade only-upgrade o,option= c,config-file= t,target-release,default-release= a,host-architecture= no-remove print-uris
 = dist-upgrade: full-upgrade
dpkg | | i,install r,remove P,purge l,list? L,listfiles= S,search= s,status? R,recursive a,pending force-all force-depends no-act configure
yum dnf microdnf | exact subcommands | y,assumeyes assumeno q,quiet v,verbose C,cacheonly best allowerasing nobest skip-broken enablerepo= disablerepo= repo,repoid= x,exclude= setopt= releasever= installroot= downloadonly nogpgcheck
 = remove: erase, rm; install: in; upgrade: up, update
apk | subcommands | q,quiet v,verbose f,force U,update-cache no-cache t,virtual= X,repository= allow-untrusted p,root= i,interactive purge u,upgrade l,latest
docker podman nerdctl | exact own-first | config= c,context= D,debug H,host= l,log-level= tls tlscacert= tlscert= tlskey= tlsverify v,version
 run: $container
 create: $container
 exec: d,detach detach-keys= e,env= env-file= i,interactive privileged t,tty u,user= w,workdir=
 rm: f,force l,link v,volumes
 rmi: f,force no-prune platform=
 build: add-host= allow= annotation= attest= build-arg= build-context= builder= cache-from= cache-to= cgroup-parent= f,file= force-rm iidfile= isolation= label= load m,memory= metadata-file= network= no-cache no-cache-filter= o,output= platform= progress= provenance= pull push q,quiet rm sbom= secret= security-opt= shm-size= squash ssh= t,tag= target= ulimit=
 push: a,all-tags disable-content-trust platform= q,quiet
 pull: a,all-tags disable-content-trust platform= q,quiet
 ps: a,all f,filter= format= n,last= l,latest no-trunc q,quiet s,size
 logs: details f,follow since= n,tail= t,timestamps until=
 cp: a,archive L,follow-link q,quiet
 stop: s,signal= t,timeout=
 kill: s,signal=
 start: a,attach checkpoint= checkpoint-dir= detach-keys= i,interactive
 restart: s,signal= t,timeout=
 login: p,password= password-stdin u,username=
 save: o,output= platform=
 load: i,input= platform= q,quiet
 commit: a,author= c,change= m,message= p,pause
 system prune: a,all filter= f,force volumes
 system df: v,verbose format=
 volume rm: f,force
 volume prune: a,all filter= f,force
 image prune: a,all filter= f,force
 container prune: filter= f,force
 builder prune: a,all filter= f,force keep-storage=
 network rm: f,force
 network prune: filter= f,force
 swarm leave: f,force
 context rm: f,force
 compose: f,file= p,project-name= profile= env-file= project-directory= parallel= ansi= progress= compatibility
 compose up: abort-on-container-exit always-recreate-deps attach= build d,detach force-recreate no-build no-color no-deps no-recreate no-start pull= quiet-pull remove-orphans V,renew-anon-volumes scale= t,timeout= wait w,watch y,yes
 compose down: remove-orphans rmi= t,timeout= v,volumes
 compose run: build d,detach entrypoint= e,env= i,interactive l,label= name= no-TTY no-deps p,publish= quiet-pull rm P,service-ports u,user= v,volume= w,workdir=
 compose exec: d,detach e,env= index= T,no-TTY privileged u,user= w,workdir=
 compose build: build-arg= m,memory= no-cache pull push q,quiet with-dependencies
 compose rm: f,force s,stop v,volumes
 compose logs: f,follow since= n,tail= t,timestamps until= no-color no-log-prefix
 = run: container run; create: container create; exec: container exec; rm: container rm, container remove; ps: container ls, container list, container ps; kill: container kill; stop: container stop; start: container start; restart: container restart; cp: container cp; logs: container logs; commit: container commit; rmi: image rm, image remove; build: image build, buildx build, builder build; push: image push; pull: image pull; save: image save; load: image load; volume rm: volume remove; network rm: network remove
 > run=1, create=1, exec=1, compose run=1, compose exec=1
docker-compose | exact own-first | f,file= p,project-name= profile= env-file= project-directory=
 up: abort-on-container-exit always-recreate-deps attach= build d,detach force-recreate no-build no-color no-deps no-recreate no-start pull= quiet-pull remove-orphans V,renew-anon-volumes scale= t,timeout= wait w,watch y,yes
 down: remove-orphans rmi= t,timeout= v,volumes
 run: build d,detach entrypoint= e,env= i,interactive l,label= name= no-TTY no-deps p,publish= quiet-pull rm P,service-ports u,user= v,volume= w,workdir=
 exec: d,detach e,env= index= T,no-TTY privileged u,user= w,workdir=
 build: build-arg= m,memory= no-cache pull push q,quiet with-dependencies
 rm: f,force s,stop v,volumes
 logs: f,follow since= n,tail= t,timestamps until= no-color no-log-prefix
 > run=1, exec=1
kubectl oc | exact mixed | as= as-group= as-uid= cache-dir= certificate-authority= client-certificate= client-key= cluster= context= disable-compression insecure-skip-tls-verify kubeconfig= n,namespace= password= profile= profile-output= request-timeout= s,server= tls-server-name= token= user= username= v= vmodule= warnings-as-errors
 delete: $chosen all A,all-namespaces cascade? dry-run? field-selector= force grace-period= ignore-not-found i,interactive now o,output= raw= timeout= wait
 apply: $chosen $printed all cascade? dry-run? field-manager= force force-conflicts grace-period= openapi-patch overwrite prune prune-allowlist= server-side subresource= timeout= validate? wait
 create: $chosen $printed dry-run? edit field-manager= raw= save-config validate? windows-line-endings
 get: $chosen $printed A,all-namespaces chunk-size= field-selector= ignore-not-found L,label-columns= no-headers output-watch-events raw= server-print show-kind show-labels sort-by= subresource= w,watch watch-only
 exec: c,container= f,filename= pod-running-timeout= q,quiet i,stdin t,tty
 drain: chunk-size= delete-emptydir-data disable-eviction dry-run? force grace-period= ignore-daemonsets pod-selector= l,selector= skip-wait-for-delete-timeout= timeout=
 scale: $chosen $printed all current-replicas= dry-run? replicas= resource-version= timeout=
 patch: $printed dry-run? field-manager= f,filename= k,kustomize= local p,patch= patch-file= R,recursive subresource= type=
 replace: $chosen $printed cascade? dry-run? field-manager= force grace-period= raw= save-config subresource= timeout= validate? wait
 run: $printed annotations= attach cascade? command dry-run? env= expose field-manager= f,filename= force grace-period= image= image-pull-policy= k,kustomize= l,labels= leave-stdin-open override-type= overrides= pod-running-timeout= port= privileged q,quiet R,recursive restart= rm save-config i,stdin timeout= t,tty wait
 logs: all-containers all-pods c,container= f,follow ignore-errors insecure-skip-tls-verify-backend limit-bytes= max-log-requests= pod-running-timeout= prefix p,previous l,selector= since= since-time= tail= timestamps
 cordon: dry-run? l,selector=
 uncordon: dry-run? l,selector=
 edit: $printed field-manager= f,filename= k,kustomize= output-patch R,recursive save-config subresource= validate? windows-line-endings
 describe: $chosen A,all-namespaces chunk-size= show-events
 annotate: $chosen $printed all A,all-namespaces dry-run? field-manager= field-selector= list local overwrite resource-version=
 label: $chosen $printed all A,all-namespaces dry-run? field-manager= field-selector= list local overwrite resource-version=
 taint: $printed all dry-run? field-manager= overwrite l,selector= validate?
 cp: c,container= no-preserve retries=
 port-forward: address= pod-running-timeout=
 rollout restart: $chosen $printed field-manager=
 rsh: c,container= t,tty T,no-tty shell= timeout=
 rollout undo: $chosen $printed dry-run? to-revision=
 config use-context:
 config delete-context:
 config set-context: cluster= current namespace= user=
 > exec=1
helm | exact | burst-limit= debug kube-apiserver= kube-as-group= kube-as-user= kube-ca-file= kube-context= kube-insecure-skip-tls-verify kube-tls-server-name= kube-token= kubeconfig= n,namespace= qps= registry-config= repository-cache= repository-config=
 install: $helmChart
 upgrade: $helmChart cleanup-on-fail history-max= i,install reset-values reuse-values reset-then-reuse-values
 uninstall: cascade= description= dry-run ignore-not-found keep-history no-hooks timeout= wait
 rollback: cleanup-on-fail dry-run? force history-max= no-hooks recreate-pods timeout= wait wait-for-jobs
 template: $helmChart
 list: a,all A,all-namespaces d,date deployed failed f,filter= m,max= o,output= r,reverse l,selector= q,short
 push: ca-file= cert-file= key-file= insecure-skip-tls-verify plain-http
 repo add: ca-file= cert-file= force-update insecure-skip-tls-verify key-file= no-update pass-credentials password= password-stdin username=
 repo remove:
 = uninstall: del, delete, un; list: ls; repo remove: repo rm
terraform tofu | flags | chdir= version
 apply: $terraformRun
 destroy: $terraformRun
 plan: $terraformRun detailed-exitcode generate-config-out= out=
 refresh: $terraformRun
 init: backend-config= backend= force-copy from-module= get= ignore-remote-version input= json lock-timeout= lock= lockfile= migrate-state no-color plugin-dir= reconfigure test-directory= upgrade
 import: allow-missing-config config= ignore-remote-version input= lock-timeout= lock= no-color parallelism= state= state-out= var= var-file=
 taint: allow-missing ignore-remote-version lock-timeout= lock= state= backup=
 untaint: allow-missing ignore-remote-version lock-timeout= lock= state= backup=
 fmt: check diff list= no-color recursive write=
 output: json no-color raw state=
 force-unlock: force
 state rm: backup= dry-run ignore-remote-version lock-timeout= lock= state=
 state mv: backup= backup-out= dry-run ignore-remote-version lock-timeout= lock= state= state-out=
 state push: force ignore-remote-version lock-timeout= lock=
 workspace delete: force lock-timeout= lock=
 workspace new: lock-timeout= lock= state=
gh | exact | $ghRepo help version
 pr create: $ghRepo a,assignee= B,base= b,body= F,body-file= d,draft dry-run e,editor f,fill fill-first fill-verbose H,head= l,label= m,milestone= no-maintainer-edit p,project= recover= r,reviewer= T,template= t,title= w,web
 pr merge: $ghRepo admin A,author-email= auto b,body= F,body-file= d,delete-branch disable-auto match-head-commit= m,merge r,rebase s,squash t,subject=
 pr close: $ghRepo c,comment= d,delete-branch
 pr review: $ghRepo a,approve b,body= F,body-file= c,comment r,request-changes
 pr checkout: $ghRepo b,branch= detach f,force recurse-submodules
 pr list: $ghRepo app= a,assignee= A,author= B,base= d,draft H,head= q,jq= json= l,label= L,limit= S,search= s,state= t,template= w,web
 issue create: $ghRepo a,assignee= b,body= F,body-file= e,editor l,label= m,milestone= p,project= recover= T,template= t,title= w,web
 issue comment: $ghRepo b,body= F,body-file= e,editor edit-last w,web
 pr comment: $ghRepo b,body= F,body-file= e,editor edit-last w,web
 issue close: $ghRepo c,comment= r,reason=
 issue delete: $ghRepo yes
 repo delete: yes
 repo create: add-readme c,clone d,description= disable-issues disable-wiki g,gitignore= h,homepage= include-all-branches internal l,license= private public push r,remote= s,source= t,team= p,template=
 repo edit: accept-visibility-change-consequences add-topic= allow-forking allow-update-branch default-branch= delete-branch-on-merge d,description= enable-auto-merge enable-issues h,homepage= remove-topic= template visibility=
 repo archive: y,yes
 repo sync: b,branch= force s,source=
 release create: $ghRepo discussion-category= d,draft generate-notes latest n,notes= F,notes-file= notes-from-tag notes-start-tag= p,prerelease target= t,title= verify-tag
 release delete: $ghRepo cleanup-tag y,yes
 secret set: $ghRepo a,app= b,body= e,env= f,env-file= no-store o,org= r,repos= u,user v,visibility=
 secret delete: $ghRepo a,app= e,env= o,org= u,user
 workflow run: $ghRepo F,field= json f,raw-field= r,ref=
 auth token: h,hostname= u,user=
 ssh-key delete: y,yes
 api: cache= F,field= H,header= hostname= i,include input= q,jq= X,method= paginate p,preview= f,raw-field= silent slurp t,template= verbose
aws | | debug endpoint-url= no-verify-ssl no-paginate output= query= profile= region= version color= no-sign-request ca-bundle= cli-read-timeout= cli-connect-timeout= cli-binary-format= no-cli-pager cli-auto-prompt cli-input-json= generate-cli-skeleton?
 s3 rm: dryrun quiet recursive request-payer= include= exclude= only-show-errors page-size=
 s3 cp: dryrun quiet recursive include= exclude= acl= no-follow-symlinks follow-symlinks sse? content-type= storage-class= grants= only-show-errors expected-size= metadata= no-progress source-region=
 s3 mv: dryrun quiet recursive include= exclude= acl= sse? content-type= storage-class= only-show-errors metadata=
 s3 sync: dryrun quiet include= exclude= acl= delete exact-timestamps size-only sse? storage-class= only-show-errors no-progress
 s3 rb: force
 s3 mb:
 s3 ls: recursive page-size= human-readable summarize
 ec2 terminate-instances: instance-ids= dry-run no-dry-run
 rds delete-db-instance: db-instance-identifier= skip-final-snapshot no-skip-final-snapshot final-db-snapshot-identifier= delete-automated-backups
 cloudformation delete-stack: stack-name= retain-resources= role-arn=
 dynamodb delete-table: table-name=
 iam delete-user: user-name=
gcloud | | q,quiet project= account= configuration= format= verbosity= zone= region= impersonate-service-account= async delete-disks= keep-disks= force
 compute instances delete:
 projects delete:
 sql instances delete:
 container clusters delete:
 run deploy: source= image= allow-unauthenticated platform=
 app deploy: promote no-promote v,version=
 auth print-access-token:
vercel | exact subcommands | y,yes f,force prod target= t,token= e,env= b,build-env= S,scope= A,local-config= Q,global-config= cwd= d,debug prebuilt
 = remove: rm; list: ls
netlify | exact | p,prod d,dir= a,auth= s,site= m,message= f,functions= alias= json force
 sites:delete: f,force
wrangler | exact | e,env= c,config= cwd= y,yes f,force,skip-confirmation dry-run local remote name= command= file= v,version
 d1 execute:
 d1 delete:
 r2 bucket delete:
 kv namespace delete:
 secret put:
fly flyctl | exact | a,app= c,config= t,access-token= y,yes,auto-confirm i,image= r,region= o,org= verbose debug
 apps destroy:
 secrets set:
 volumes destroy:
 machine destroy: f,force
heroku | exact subcommands | a,app= r,remote= c,confirm= f,force json
 run: e,env= s,size= x,exit-code no-tty type=
prisma | exact | schema= f,force skip-seed skip-generate accept-data-loss force-reset n,name= create-only preview-feature
 migrate reset:
 migrate deploy:
 migrate dev:
 db push:
 db execute: file= stdin url=
 db seed:
psql | | $postgres c,command= e,echo-queries d,dbname= f,file= l,list v,set,variable= X,no-psqlrc 1,single-transaction a,echo-all b,echo-errors E,echo-hidden L,log-file= n,no-readline o,output= q,quiet s,single-step S,single-line A,no-align csv F,field-separator= H,html P,pset= R,record-separator= t,tuples-only T,table-attr= x,expanded z,field-separator-zero 0,record-separator-zero
pg_dump pg_dumpall pg_restore | | $postgres f,file= F,format= j,jobs= v,verbose Z,compress= a,data-only b,blobs B,no-blobs c,clean C,create E,encoding= n,schema= N,exclude-schema= O,no-owner s,schema-only S,superuser= t,table= T,exclude-table= x,no-acl,no-privileges column-inserts inserts if-exists disable-triggers d,dbname= role= l,list L,use-list= 1,single-transaction e,exit-on-error
dropdb createdb dropuser createuser | | $postgres e,echo f,force i,interactive if-exists maintenance-db= O,owner= E,encoding= T,template= s,superuser d,createdb
mysql mariadb | | $mysql
mysqldump mysqladmin | | $mysql all-databases databases no-data no-create-info single-transaction routines triggers add-drop-table result-file= where= ignore-table=
redis-cli | exact | h= p= s= a= u= n= r= i= x d= c raw no-raw csv scan pattern= bigkeys eval= pipe askpass user= pass= tls cacert=
sqlite sqlite3 | flags | bail batch cmd= column csv echo header noheader html init= interactive json line list markdown readonly separator= table
mongosh mongo | exact | host= port= u,username= p,password= eval= f,file= quiet nodb norc authenticationDatabase= tls
pkexec | wraps runs=0 | user= disable-internal-agent keep-cwd help. version.
chrt | wraps runs=1 | a b d f i o r R v m. p. T= P= D= batch fifo idle other rr all-tasks reset-on-fork verbose help. version.
taskset | wraps runs=1 | a c p. cpu-list all-tasks pid. help. version.
stdbuf | wraps runs=0 | i= o= e= input= output= error= help. version.
unshare | wraps runs=0 | c f i m n p r u C T U V. h. S= G= R= w= fork mount? net? pid? ipc? uts? user? cgroup? time? map-root-user map-current-user kill-child? mount-proc? propagation= setuid= setgid= root= wd= help. version.
nsenter | wraps runs=0 | a F e m? u? i? n? p? C? U? T? r? w? t= S= G= all target= mount? uts? ipc? net? pid? user? no-fork root? wd? help. version.
perf | partly wraps after=record,stat,trace,mem,c2c | a A g d i n N q v x= o= e= F= c= C= p. t. u. m= r= s k= W all-cpus call-graph= detailed event= output= repeat= freq= count= cpu= no-inherit null quiet verbose append metrics= per-core per-socket topdown tid. pid. help.
chroot | wraps runs=1 | groups= userspec= skip-chdir help. version.
setarch | wraps runs=1 | B F I L R S T X Z v 3 help. version.
linux32 linux64 | wraps runs=0 | R v
prlimit | wraps runs=0 | c? d? e? f? i? l? m? n? q? r? s? t? u? v? x? y? p. nofile? nproc? cpu? as? core? data? fsize? stack? rss? pid. help. version.
choom | wraps runs=0 | n= p. adjust= pid. help. version.
strace | wraps runs=0 | c C d f F i k n q r t T v w x y z Z V. h. a= b= e= E= I= o= O= p= P= s= S= u= U= X= follow-forks
ltrace | wraps runs=0 | c C f i L r S t T V. h. a= A= e= l= n= o= p= s= u= w= x= X=
unbuffer | wraps runs=0 | p
caffeinate | wraps runs=0 | d i m s u t= w.
dbus-run-session | wraps runs=0 | config-file= dbus-daemon= help. version.
xvfb-run | wraps runs=0 | a d e= f= l n= p= s= w= auto-servernum auto-display error-file= auth-file= listen-tcp server-num= xauth-protocol= server-args= wait= help.
torsocks | wraps runs=0 |
proxychains proxychains4 | wraps runs=0 | q f=
cross-env | wraps assignments runs=0 |
cross-env-shell | wraps assignments line |
dotenv | partly wraps runs=0 | e= f= file= override
busybox | partly wraps runs=0 | list. list-full. help. install.
toybox | partly wraps runs=0 | help.
watch | wraps line | b c d? e g p q= t w x n= h. v. beep color differences? errexit chgexit precise no-title no-wrap exec interval= help. version.
pipenv | partly wraps after=run | quiet version.
pdm | partly wraps after=run | p= s version.
hatch | partly wraps after=run | e= v q env= version.
bundle | partly wraps after=exec | version.
rbenv pyenv | partly wraps after=exec |
direnv | partly wraps after=exec runs=1 |
conda | partly wraps after=run | n= p= v name= prefix= no-capture-output live-stream cwd= version.
micromamba | partly wraps after=run | n= p= name= prefix=
rustup | partly wraps after=run runs=1 | v q version.
mise rtx | partly wraps dashes after=exec,x | q v quiet C= cd=
fnm | partly wraps after=exec | using= log-level= fnm-dir= version. help.
volta | partly wraps after=run | node= npm= yarn= bundled-npm no-yarn quiet verbose
numactl | wraps runs=0 | a i= N= m= C= p= l P= H. s. all interleave= cpunodebind= membind= physcpubind= preferred= localalloc hardware. show.
meson | partly wraps after=devenv | wrapper$ wrap$ C= w workdir= dump?
op | partly wraps after=run | env-file= no-masking account=
doppler | partly wraps after=run | p= c= project= config=
hyperfine | wraps lines | i N w= r= m= M= p$ c$ s$ C$ S= n= L= P= u= ignore-failure warmup= runs= min-runs= max-runs= prepare$ cleanup$ setup$ conclude$ reference$ shell= command-name= export-json= export-markdown= export-csv= parameter-list= style= show-output version. help.
concurrently | wraps lines | k r n= c= p= m= l= g kill-others kill-others-on-fail raw names= prefix= prefix-colors= success= restart-tries= version. help.
nix-shell | wraps permutes | quiet p Q j= I= A= E= K packages run$ command$ pure impure keep= attr= expr= arg= argstr= version. help.
entr | wraps runs=0 | a c d n p r s z
gosu | wraps runs=1 | version. help.
su-exec | wraps runs=1 |
tini | wraps runs=0 | s g v w p= e= version. help.
dumb-init | wraps runs=0 | c v single-child verbose rewrite=
faketime | wraps runs=1 | f m exclude-monotonic
rlwrap | wraps runs=0 | a A c i m n N o r R
chronic | wraps runs=0 | v e
fakeroot | wraps runs=0 | u unknown-is-real
setpriv | wraps runs=0 | d. no-new-privs reuid= regid= clear-groups init-groups keep-groups groups= help. version.
systemd-run | wraps runs=0 | t P q r d G p= u= E= M= H= user scope system tty pty pipe quiet wait collect same-dir remain-after-exit unit= description= slice= property= setenv= uid= gid= nice= working-directory= on-active= on-calendar= on-boot= help. version.
flock | wraps runs=1 | s x e n u o F c,command$ w= E= shared exclusive nonblock nb unlock close no-fork wait= timeout= conflict-exit-code= help. version.
su | wraps permutes | c,command$ l m p P f s= g= G= w= session-command$ login preserve-environment shell= pty help. version.
runuser | wraps runs=0 | c,command$ l m p P f s= g= G= u= w= session-command$ login preserve-environment shell= pty help. version.
script | wraps permutes runs=1 | a c,command$ e f q t? E= I= O= B= T= m= o= append return flush quiet force help. version.
yarn | wraps after=exec,dlx
tmux | partly own-first | 2 8 C D l N q u v V. h. c= f= L= S= T=
 new-session: A d D E P X c= e= f= F= n= s= t= x= y=
 new-window: a b d k P S c= e= F= n= t=
 split-window: b d f h I v P Z c= e= l= p= t= F=
 respawn-pane: k c= e= t=
 respawn-window: k c= e= t=
 run-shell: b C c= d= t=
 pipe-pane: I O o t=
 display-popup: B C E b= c= d= e= h= s= S= t= T= w= x= y=
 if-shell: b F t=
 send-keys: F H K l M R X c= N= t=
 = new-session: new; new-window: neww; split-window: splitw; respawn-pane: respawnp; respawn-window: respawnw; run-shell: run; pipe-pane: pipep; display-popup: popup; if-shell: if; send-keys: send
screen | partly | A a d D i L l m O q r R u U v x -ls -list c= e= h= p= s= S= t= T= -Logfile=
parallel | partly | 0,null k,keep-order u,ungroup v,verbose t q,quote X m n= j,jobs= P= a,arg-file= d= S= I= N,max-args= L= C,colsep= bar progress eta dry-run no-notice will-cite line-buffer lb group tag delay= timeout= retries= halt= joblog= resume results= max-procs= workdir= nice= load= memfree= version. help. citation. number-of-cores. number-of-cpus. r,no-run-if-empty
at | partly permutes | m M b l. r. d. c. v V. f= q= t=
split | partly | filter$
man | partly | P,pager$ H,html?$
zip | partly | -TT$ unzip-command$
bat batcat delta | partly | pager$
bash sh dash ash rbash | shell
vim vi nvim view vimdiff gvim rvim | editor values=refused
# other languages, and terminals and clocks that carry a line: read in carriers.ts
fish ksh93 pdksh yash csh tcsh elvish nu xonsh pwsh powershell cmd parallel expect socat ncat tmux screen at batch crontab gdb lldb emacs emacsclient ed ex m4 wish fc alias complete bind | values=refused
# nothing here can tell which of their words is a program
dtach firejail bwrap start-stop-daemon daemonize nodemon npm-run-all sem run-parts rr scl nix guix schroot proot fakechroot dbus-launch aa-exec runcon sg newgrp capsh git-shell | opaque values=refused
osascript | opaque
setuidgid envdir softlimit chpst s6-setuidgid catchsegv eatmydata cpulimit trickle mispipe ifne pee errno lckdo annotate-output libtool moreutils ltrace-run dpkg-trigger | opaque values=refused
ash rbash ssh-agent valgrind | values=refused
# builtins: code, names of variables, or what changes the line
eval source . trap let declare typeset local readonly export read unalias shopt set shift unset mapfile readarray getopts compgen compopt enable hash history jobs bg fg disown coproc select function caller dirs pushd popd emulate autoload zmodload wait | values=refused
# they run what they are given, again and again or in a package
run-s run-p onchange chokidar dotenvx shx lint-staged husky lerna nx turbo wireit | values=refused
# they run it elsewhere, or as another user
ssh scp sftp rsync mosh rsh scriptreplay byobu watchexec fswatch nc | values=refused
# languages and shells
oil osh sqlite psql mysql mariadb mongosh mongo redis-cli clickhouse-client duckdb nano man bc dc gnuplot octave r scala kotlin jshell ghci runghc runhaskell erl elixir iex irb pry ipython jupyter clojure clj bb racket guile sbcl awkcc java gs tex latex pdflatex xelatex lualatex groff troff debugfs ftp lftp telnet zip | values=refused
# some of their options run a program, or name files to write
fd fdfind tar gtar bsdtar split yq | values=refused
# they build by files of the project
bmake cmake ninja mage ant bazel swift | values=refused
# they choose versions of tools
nvm asdf mamba nix-build corepack | values=refused
sh bash dash zsh ksh mksh python pypy perl ruby node nodejs deno bun tsx ts-node php lua luajit rscript tclsh osascript julia groovy | values=script
npm pnpm yarn make gmake just task cargo go mvn gradle gradlew dotnet poetry bundle rake | values=tasks
npx pnpx bunx uvx | values=runner
exit return | values=literal
echo : true false printf test [ | values=data
git | values-in=add,diff,log,status,show,blame,checkout,switch,restore,rm,mv,ls-files,ls-tree,check-ignore,commit,stash,branch,tag,rev-parse,fetch,pull,push,merge,reset,cat-file
docker podman nerdctl | values-in=ps,images,logs,inspect
kubectl oc | values-in=get,describe,logs
# interpreters, and which of their options hold code
python pypy ipython | code=c valued=mWX ends
node nodejs electron babel babel-node | code=ep,--eval,--print valued=rC
tsx ts-node ts-node-esm ts-node-script ts-node-transpile-only esno vite-node | code=ep,--eval,--print valued=rCPO
bun | code=ep,--eval,--print valued=r
qjs zx | code=e,--eval
mongosh mongo | code=,--eval permutes
perl | code=eE valued=IMm
raku | code=e valued=IM
ruby | code=e valued=rIC
pry groovy | code=e
crystal | code=,eval
rails | code=,runner,r
php | code=rBRE valued=dcf
lua luajit | code=e valued=l
scala | code=e,--execute
deno | code=,eval,repl
`;

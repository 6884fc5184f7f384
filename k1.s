	.file	"<string>"
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
.LCPI0_0:
	.quad	32
	.quad	36
	.quad	40
	.quad	44
	.quad	48
	.quad	52
	.quad	56
	.quad	60
.LCPI0_1:
	.quad	0
	.quad	4
	.quad	8
	.quad	12
	.quad	16
	.quad	20
	.quad	24
	.quad	28
.LCPI0_2:
	.quad	96
	.quad	100
	.quad	104
	.quad	108
	.quad	112
	.quad	116
	.quad	120
	.quad	124
.LCPI0_3:
	.quad	64
	.quad	68
	.quad	72
	.quad	76
	.quad	80
	.quad	84
	.quad	88
	.quad	92
.LCPI0_4:
	.quad	160
	.quad	164
	.quad	168
	.quad	172
	.quad	176
	.quad	180
	.quad	184
	.quad	188
.LCPI0_5:
	.quad	128
	.quad	132
	.quad	136
	.quad	140
	.quad	144
	.quad	148
	.quad	152
	.quad	156
.LCPI0_6:
	.quad	224
	.quad	228
	.quad	232
	.quad	236
	.quad	240
	.quad	244
	.quad	248
	.quad	252
.LCPI0_7:
	.quad	192
	.quad	196
	.quad	200
	.quad	204
	.quad	208
	.quad	212
	.quad	216
	.quad	220
	.section	.rodata.cst4,"aM",@progbits,4
	.p2align	2, 0x0
.LCPI0_8:
	.long	0x7f800000
	.section	.ltext,"axl",@progbits
	.globl	_ZN8__main__6assignB2v1B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqEqkpAMW0QQAExx5ArrayIxLi1E1C7mutable7alignedE5ArrayIfLi3E1C7mutable7alignedE5ArrayIfLi2E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedE5ArrayIiLi2E1C7mutable7alignedE5ArrayIfLi3E1C7mutable7alignedE5ArrayIfLi2E1C7mutable7alignedE
	.p2align	4
	.type	_ZN8__main__6assignB2v1B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqEqkpAMW0QQAExx5ArrayIxLi1E1C7mutable7alignedE5ArrayIfLi3E1C7mutable7alignedE5ArrayIfLi2E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedE5ArrayIiLi2E1C7mutable7alignedE5ArrayIfLi3E1C7mutable7alignedE5ArrayIfLi2E1C7mutable7alignedE,@function
_ZN8__main__6assignB2v1B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqEqkpAMW0QQAExx5ArrayIxLi1E1C7mutable7alignedE5ArrayIfLi3E1C7mutable7alignedE5ArrayIfLi2E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedE5ArrayIiLi2E1C7mutable7alignedE5ArrayIfLi3E1C7mutable7alignedE5ArrayIfLi2E1C7mutable7alignedE:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	pushq	%r15
	.cfi_def_cfa_offset 24
	pushq	%r14
	.cfi_def_cfa_offset 32
	pushq	%r13
	.cfi_def_cfa_offset 40
	pushq	%r12
	.cfi_def_cfa_offset 48
	pushq	%rbx
	.cfi_def_cfa_offset 56
	subq	$2952, %rsp
	.cfi_def_cfa_offset 3008
	.cfi_offset %rbx, -56
	.cfi_offset %r12, -48
	.cfi_offset %r13, -40
	.cfi_offset %r14, -32
	.cfi_offset %r15, -24
	.cfi_offset %rbp, -16
	movq	3024(%rsp), %rax
	movq	%rsi, 208(%rsp)
	movl	$1, %r10d
	movq	3088(%rsp), %r12
	lock		xaddq	%r10, 256(%rax)
	shlq	$4, %r10
	cmpq	%r12, %r10
	jge	.LBB0_105
	movq	3464(%rsp), %r9
	movq	%rdx, %rax
	sarq	$63, %rax
	movq	3176(%rsp), %rcx
	movq	%r10, 16(%rsp)
	movq	3456(%rsp), %r10
	movq	3312(%rsp), %rsi
	movq	3296(%rsp), %r14
	andq	%rax, %r9
	leaq	3(%rcx), %r8
	addq	%rdx, %r9
	imulq	3472(%rsp), %r9
	shrq	$2, %r8
	testq	%rcx, %rcx
	setle	%cl
	testq	%r8, %r8
	movq	%r8, 216(%rsp)
	sete	%r8b
	orb	%cl, %r8b
	leaq	(%r10,%r9,4), %rbx
	je	.LBB0_2
	movabsq	$.LCPI0_8, %r8
	movq	%r14, %rax
	leaq	(,%rsi,4), %rcx
	leaq	60(%r14), %rsi
	movq	16(%rsp), %r14
	leaq	60(%r10,%r9,4), %rdx
	subq	%rbx, %rax
	vpxor	%xmm1, %xmm1, %xmm1
	vpbroadcastd	(%r8), %zmm0
	jmp	.LBB0_8
	.p2align	4
.LBB0_9:
	movq	3024(%rsp), %r8
	movl	$1, %r14d
	lock		xaddq	%r14, 256(%r8)
	shlq	$4, %r14
	cmpq	%r12, %r14
	jge	.LBB0_105
.LBB0_8:
	movq	3312(%rsp), %r15
	movq	3304(%rsp), %r13
	movq	3296(%rsp), %rbp
	leaq	16(%r14), %r11
	cmpq	%r11, %r12
	cmovlq	%r12, %r11
	subq	%r14, %r11
	testq	%r11, %r11
	jg	.LBB0_10
	jmp	.LBB0_9
	.p2align	4
.LBB0_133:
	imulq	%r15, %r9
	vmovdqu64	%zmm0, (%rbx)
	vmovdqu64	%zmm0, 64(%rbx)
	vmovdqu64	%zmm0, 128(%rbx)
	vmovdqu64	%zmm0, 192(%rbx)
	vmovdqu64	%zmm1, (%rbp,%r9,4)
	vmovdqu64	%zmm1, 64(%rbp,%r9,4)
	vmovdqu64	%zmm1, 128(%rbp,%r9,4)
	vmovdqu64	%zmm1, 192(%rbp,%r9,4)
.LBB0_13:
	incq	%r14
	decq	%r11
	jle	.LBB0_9
.LBB0_10:
	movq	%r14, %r9
	sarq	$63, %r9
	movq	%rcx, %r8
	andq	%r13, %r9
	addq	%r14, %r9
	imulq	%r9, %r8
	leaq	(%rax,%r8), %r10
	cmpq	$255, %r10
	ja	.LBB0_133
	addq	%rsi, %r8
	xorl	%r9d, %r9d
	.p2align	4
.LBB0_12:
	movl	$2139095040, -60(%rdx,%r9,4)
	movl	$0, -60(%r8,%r9,4)
	movl	$2139095040, -56(%rdx,%r9,4)
	movl	$0, -56(%r8,%r9,4)
	movl	$2139095040, -52(%rdx,%r9,4)
	movl	$0, -52(%r8,%r9,4)
	movl	$2139095040, -48(%rdx,%r9,4)
	movl	$0, -48(%r8,%r9,4)
	movl	$2139095040, -44(%rdx,%r9,4)
	movl	$0, -44(%r8,%r9,4)
	movl	$2139095040, -40(%rdx,%r9,4)
	movl	$0, -40(%r8,%r9,4)
	movl	$2139095040, -36(%rdx,%r9,4)
	movl	$0, -36(%r8,%r9,4)
	movl	$2139095040, -32(%rdx,%r9,4)
	movl	$0, -32(%r8,%r9,4)
	movl	$2139095040, -28(%rdx,%r9,4)
	movl	$0, -28(%r8,%r9,4)
	movl	$2139095040, -24(%rdx,%r9,4)
	movl	$0, -24(%r8,%r9,4)
	movl	$2139095040, -20(%rdx,%r9,4)
	movl	$0, -20(%r8,%r9,4)
	movl	$2139095040, -16(%rdx,%r9,4)
	movl	$0, -16(%r8,%r9,4)
	movl	$2139095040, -12(%rdx,%r9,4)
	movl	$0, -12(%r8,%r9,4)
	movl	$2139095040, -8(%rdx,%r9,4)
	movl	$0, -8(%r8,%r9,4)
	movl	$2139095040, -4(%rdx,%r9,4)
	movl	$0, -4(%r8,%r9,4)
	movl	$2139095040, (%rdx,%r9,4)
	movl	$0, (%r8,%r9,4)
	addq	$16, %r9
	cmpq	$64, %r9
	jne	.LBB0_12
	jmp	.LBB0_13
.LBB0_2:
	movq	%rdi, %r8
	andq	3376(%rsp), %rax
	movq	3392(%rsp), %rsi
	movq	3384(%rsp), %rdi
	movq	3368(%rsp), %rcx
	movq	%r14, %r11
	leaq	256(%r10,%r9,4), %r9
	vpbroadcastq	%rbx, %zmm9
	movq	%r8, 120(%rsp)
	addq	%rdx, %rax
	movq	%rsi, %rdx
	imulq	%rdi, %rdx
	movq	%rdx, 360(%rsp)
	imulq	%rax, %rdx
	imulq	%rdi, %rax
	leaq	(%rcx,%rdx,4), %r15
	leaq	(%rsi,%rsi,2), %rdx
	leaq	(%r15,%rdx,4), %r14
	leaq	12(,%rax,4), %rdx
	leaq	(%r15,%rsi,4), %r13
	leaq	(%r15,%rsi,8), %rbp
	vpbroadcastq	%r15, %zmm8
	vmovq	%xmm8, 352(%rsp)
	imulq	%rsi, %rdx
	leaq	256(%rcx,%rdx), %rdi
	leaq	8(,%rax,4), %rdx
	imulq	%rsi, %rdx
	movq	%rdi, 200(%rsp)
	leaq	256(%rcx,%rdx), %r10
	leaq	4(,%rax,4), %rdx
	imulq	%rsi, %rax
	imulq	%rsi, %rdx
	movq	%r9, %rsi
	movq	%r10, 192(%rsp)
	vmovq	%xmm9, %r9
	movq	%rsi, 136(%rsp)
	movq	%r9, 64(%rsp)
	leaq	256(%rcx,%rdx), %rdx
	leaq	256(%rcx,%rax,4), %rcx
	movabsq	$.LCPI0_0, %rax
	vmovdqa64	(%rax), %zmm0
	movabsq	$.LCPI0_1, %rax
	vmovdqa64	(%rax), %zmm30
	movabsq	$.LCPI0_2, %rax
	movq	%rcx, 176(%rsp)
	movq	%rdx, 184(%rsp)
	vmovdqa64	(%rax), %zmm29
	movabsq	$.LCPI0_3, %rax
	vmovdqa64	(%rax), %zmm28
	movabsq	$.LCPI0_4, %rax
	vmovdqa64	(%rax), %zmm4
	movabsq	$.LCPI0_5, %rax
	vmovdqa64	(%rax), %zmm27
	movabsq	$.LCPI0_6, %rax
	vmovdqa64	(%rax), %zmm6
	movabsq	$.LCPI0_7, %rax
	vmovdqa64	(%rax), %zmm26
	movq	3104(%rsp), %rax
	imulq	3096(%rsp), %rax
	vpaddq	%zmm0, %zmm8, %zmm1
	vpaddq	%zmm0, %zmm9, %zmm10
	vpaddq	%zmm30, %zmm8, %zmm2
	vmovdqu64	%zmm1, 2880(%rsp)
	vpaddq	%zmm30, %zmm9, %zmm11
	vmovdqu64	%zmm10, 832(%rsp)
	vpaddq	%zmm29, %zmm8, %zmm3
	vmovdqu64	%zmm2, 2816(%rsp)
	vpaddq	%zmm29, %zmm9, %zmm13
	vmovdqu64	%zmm11, 768(%rsp)
	vpaddq	%zmm28, %zmm8, %zmm12
	vpaddq	%zmm28, %zmm9, %zmm14
	vmovdqu64	%zmm3, 2752(%rsp)
	vmovdqu64	%zmm13, 704(%rsp)
	vpaddq	%zmm4, %zmm8, %zmm5
	vpaddq	%zmm4, %zmm9, %zmm16
	vmovdqu64	%zmm12, 2688(%rsp)
	vmovq	%xmm12, 320(%rsp)
	vmovq	%xmm14, 40(%rsp)
	vmovdqu64	%zmm14, 640(%rsp)
	vpaddq	%zmm27, %zmm8, %zmm15
	vpaddq	%zmm27, %zmm9, %zmm17
	vmovdqu64	%zmm5, 2624(%rsp)
	vmovdqu64	%zmm16, 576(%rsp)
	vpaddq	%zmm6, %zmm8, %zmm7
	vpaddq	%zmm6, %zmm9, %zmm19
	vmovdqu64	%zmm15, 2560(%rsp)
	vmovq	%xmm15, 312(%rsp)
	vmovq	%xmm17, 32(%rsp)
	vmovdqu64	%zmm17, 512(%rsp)
	movq	%rax, 88(%rsp)
	movq	%r11, %rax
	subq	%rbx, %rax
	cmpq	%rcx, %rbx
	vpaddq	%zmm26, %zmm8, %zmm18
	vpbroadcastq	%r13, %zmm8
	vpaddq	%zmm26, %zmm9, %zmm9
	vmovdqu64	%zmm7, 2496(%rsp)
	vmovdqu64	%zmm19, 448(%rsp)
	movq	%rax, 168(%rsp)
	setb	%al
	cmpq	%rsi, %r15
	vpaddq	%zmm0, %zmm8, %zmm20
	vpaddq	%zmm4, %zmm8, %zmm21
	vpaddq	%zmm6, %zmm8, %zmm22
	vmovq	%xmm8, 344(%rsp)
	vmovdqu64	%zmm18, 2432(%rsp)
	vmovq	%xmm18, 304(%rsp)
	vmovq	%xmm9, 24(%rsp)
	vmovdqu64	%zmm9, 384(%rsp)
	setb	%cl
	vmovdqu64	%zmm20, 2368(%rsp)
	vpaddq	%zmm30, %zmm8, %zmm20
	vmovdqu64	%zmm21, 2112(%rsp)
	vpaddq	%zmm27, %zmm8, %zmm21
	vmovdqu64	%zmm22, 1984(%rsp)
	vpaddq	%zmm26, %zmm8, %zmm22
	andb	%al, %cl
	cmpq	%rdx, %rbx
	vmovdqu64	%zmm20, 2304(%rsp)
	vpaddq	%zmm29, %zmm8, %zmm20
	leaq	60(%r11), %rdx
	vmovdqu64	%zmm21, 2048(%rsp)
	vmovq	%xmm21, 288(%rsp)
	vmovdqu64	%zmm22, 1920(%rsp)
	vmovq	%xmm22, 280(%rsp)
	setb	%al
	cmpq	%rsi, %r13
	movb	%cl, 11(%rsp)
	vmovdqu64	%zmm20, 2240(%rsp)
	vpaddq	%zmm28, %zmm8, %zmm20
	vpbroadcastq	%rbp, %zmm8
	movq	%rdx, 128(%rsp)
	setb	%cl
	vpaddq	%zmm0, %zmm8, %zmm23
	vpaddq	%zmm4, %zmm8, %zmm24
	vpaddq	%zmm6, %zmm8, %zmm25
	vmovq	%xmm8, 336(%rsp)
	vmovdqu64	%zmm20, 2176(%rsp)
	vmovq	%xmm20, 296(%rsp)
	andb	%al, %cl
	cmpq	%r10, %rbx
	vmovdqu64	%zmm23, 1856(%rsp)
	vpaddq	%zmm30, %zmm8, %zmm23
	vmovdqu64	%zmm24, 1600(%rsp)
	vpaddq	%zmm27, %zmm8, %zmm24
	vmovdqu64	%zmm25, 1472(%rsp)
	vpaddq	%zmm26, %zmm8, %zmm25
	movq	16(%rsp), %r10
	setb	%al
	cmpq	%rsi, %rbp
	movb	%cl, 10(%rsp)
	vmovdqu64	%zmm23, 1792(%rsp)
	vpaddq	%zmm29, %zmm8, %zmm23
	vmovdqu64	%zmm24, 1536(%rsp)
	vmovq	%xmm24, 264(%rsp)
	vmovdqu64	%zmm25, 1408(%rsp)
	vmovq	%xmm25, 256(%rsp)
	setb	%cl
	vmovdqu64	%zmm23, 1728(%rsp)
	vpaddq	%zmm28, %zmm8, %zmm23
	vpbroadcastq	%r14, %zmm8
	andb	%al, %cl
	cmpq	%rdi, %rbx
	vpaddq	%zmm0, %zmm8, %zmm0
	vpaddq	%zmm4, %zmm8, %zmm1
	vpaddq	%zmm6, %zmm8, %zmm2
	vmovq	%xmm8, 328(%rsp)
	vmovdqu64	%zmm23, 1664(%rsp)
	vmovq	%xmm23, 272(%rsp)
	setb	%al
	cmpq	%rsi, %r14
	movb	%cl, 9(%rsp)
	vmovdqu64	%zmm0, 1344(%rsp)
	vpaddq	%zmm30, %zmm8, %zmm0
	vmovdqu64	%zmm1, 1088(%rsp)
	vpaddq	%zmm27, %zmm8, %zmm1
	vmovdqu64	%zmm2, 960(%rsp)
	vpaddq	%zmm26, %zmm8, %zmm2
	setb	%cl
	vmovdqu64	%zmm0, 1280(%rsp)
	vpaddq	%zmm29, %zmm8, %zmm0
	vmovdqu64	%zmm1, 1024(%rsp)
	vmovq	%xmm1, 240(%rsp)
	vmovdqu64	%zmm2, 896(%rsp)
	vmovq	%xmm2, 232(%rsp)
	andb	%al, %cl
	movq	3312(%rsp), %rax
	vmovdqu64	%zmm0, 1216(%rsp)
	vpaddq	%zmm28, %zmm8, %zmm0
	movb	%cl, 8(%rsp)
	leaq	256(%r11), %rcx
	vmovdqu64	%zmm0, 1152(%rsp)
	vmovq	%xmm0, 248(%rsp)
	movq	%rcx, 160(%rsp)
	leaq	28(%r11), %rcx
	movq	%rcx, 144(%rsp)
	leaq	(,%rax,4), %rax
	movq	%rax, 152(%rsp)
.LBB0_3:
	leaq	16(%r10), %rax
	cmpq	%rax, %r12
	cmovlq	%r12, %rax
	subq	%r10, %rax
	testq	%rax, %rax
	jg	.LBB0_4
.LBB0_104:
	movq	3024(%rsp), %rax
	movl	$1, %r10d
	movq	3088(%rsp), %r12
	lock		xaddq	%r10, 256(%rax)
	movq	120(%rsp), %rdi
	shlq	$4, %r10
	cmpq	%r12, %r10
	jl	.LBB0_3
	jmp	.LBB0_105
	.p2align	4
.LBB0_103:
	movq	16(%rsp), %r10
	movq	224(%rsp), %rax
	movq	136(%rsp), %rsi
	incq	%r10
	decq	%rax
	jle	.LBB0_104
.LBB0_4:
	movq	%rax, 224(%rsp)
	movq	%r10, %rax
	sarq	$63, %rax
	movq	152(%rsp), %r12
	movq	3296(%rsp), %rdx
	movq	%r10, 16(%rsp)
	movq	$0, 112(%rsp)
	movq	%rax, %rcx
	andq	3304(%rsp), %rcx
	addq	%r10, %rcx
	imulq	%rcx, %r12
	imulq	3312(%rsp), %rcx
	leaq	(%rdx,%rcx,4), %r10
	movq	168(%rsp), %rdx
	leaq	(%rdx,%r12), %rcx
	cmpq	$255, %rcx
	ja	.LBB0_14
	movq	128(%rsp), %rcx
	xorl	%edx, %edx
	addq	%r12, %rcx
	.p2align	4
.LBB0_6:
	movl	$2139095040, -256(%rsi,%rdx,4)
	movl	$0, -60(%rcx,%rdx,4)
	movl	$2139095040, -252(%rsi,%rdx,4)
	movl	$0, -56(%rcx,%rdx,4)
	movl	$2139095040, -248(%rsi,%rdx,4)
	movl	$0, -52(%rcx,%rdx,4)
	movl	$2139095040, -244(%rsi,%rdx,4)
	movl	$0, -48(%rcx,%rdx,4)
	movl	$2139095040, -240(%rsi,%rdx,4)
	movl	$0, -44(%rcx,%rdx,4)
	movl	$2139095040, -236(%rsi,%rdx,4)
	movl	$0, -40(%rcx,%rdx,4)
	movl	$2139095040, -232(%rsi,%rdx,4)
	movl	$0, -36(%rcx,%rdx,4)
	movl	$2139095040, -228(%rsi,%rdx,4)
	movl	$0, -32(%rcx,%rdx,4)
	movl	$2139095040, -224(%rsi,%rdx,4)
	movl	$0, -28(%rcx,%rdx,4)
	movl	$2139095040, -220(%rsi,%rdx,4)
	movl	$0, -24(%rcx,%rdx,4)
	movl	$2139095040, -216(%rsi,%rdx,4)
	movl	$0, -20(%rcx,%rdx,4)
	movl	$2139095040, -212(%rsi,%rdx,4)
	movl	$0, -16(%rcx,%rdx,4)
	movl	$2139095040, -208(%rsi,%rdx,4)
	movl	$0, -12(%rcx,%rdx,4)
	movl	$2139095040, -204(%rsi,%rdx,4)
	movl	$0, -8(%rcx,%rdx,4)
	movl	$2139095040, -200(%rsi,%rdx,4)
	movl	$0, -4(%rcx,%rdx,4)
	movl	$2139095040, -196(%rsi,%rdx,4)
	movl	$0, (%rcx,%rdx,4)
	addq	$16, %rdx
	cmpq	$64, %rdx
	jne	.LBB0_6
	jmp	.LBB0_15
	.p2align	4
.LBB0_14:
	movabsq	$.LCPI0_8, %rcx
	vpbroadcastd	(%rcx), %zmm0
	vmovdqu64	%zmm0, (%rbx)
	vmovdqu64	%zmm0, 64(%rbx)
	vmovdqu64	%zmm0, 128(%rbx)
	vmovdqu64	%zmm0, 192(%rbx)
	vpxor	%xmm0, %xmm0, %xmm0
	vmovdqu64	%zmm0, (%r10)
	vmovdqu64	%zmm0, 64(%r10)
	vmovdqu64	%zmm0, 128(%r10)
	vmovdqu64	%zmm0, 192(%r10)
.LBB0_15:
	andq	3088(%rsp), %rax
	movq	3080(%rsp), %rcx
	movq	160(%rsp), %r8
	leaq	64(%r10), %r11
	movq	%r10, 80(%rsp)
	addq	16(%rsp), %rax
	movq	%r11, 72(%rsp)
	imulq	88(%rsp), %rax
	cmpq	%rsi, %r10
	leaq	(%rcx,%rax,4), %rax
	setb	%cl
	movq	%rax, 368(%rsp)
	leaq	(%r8,%r12), %rax
	cmpq	%rax, %rbx
	setb	%dl
	andb	%cl, %dl
	cmpq	176(%rsp), %r10
	setb	%cl
	cmpq	%rax, %r15
	setb	%dil
	andb	%cl, %dil
	leaq	128(%r10), %rcx
	orb	%dl, %dil
	orb	11(%rsp), %dil
	movq	%rcx, 56(%rsp)
	leaq	192(%r10), %rcx
	cmpq	%rsi, %r10
	movq	%rcx, 48(%rsp)
	setb	%cl
	cmpq	%rax, %rbx
	setb	%dl
	andb	%cl, %dl
	cmpq	184(%rsp), %r10
	movb	%dil, 15(%rsp)
	setb	%cl
	cmpq	%rax, %r13
	setb	%dil
	andb	%cl, %dil
	orb	%dl, %dil
	orb	10(%rsp), %dil
	cmpq	%rsi, %r10
	setb	%cl
	cmpq	%rax, %rbx
	setb	%dl
	andb	%cl, %dl
	cmpq	192(%rsp), %r10
	movb	%dil, 14(%rsp)
	setb	%cl
	cmpq	%rax, %rbp
	setb	%dil
	andb	%cl, %dil
	orb	%dl, %dil
	orb	9(%rsp), %dil
	cmpq	%rsi, %r10
	setb	%cl
	cmpq	%rax, %rbx
	setb	%dl
	andb	%cl, %dl
	cmpq	200(%rsp), %r10
	movb	%dil, 13(%rsp)
	setb	%cl
	cmpq	%rax, %r14
	setb	%al
	addq	144(%rsp), %r12
	andb	%cl, %al
	xorl	%ecx, %ecx
	orb	%dl, %al
	orb	8(%rsp), %al
	movb	%al, 12(%rsp)
	movq	216(%rsp), %rax
	jmp	.LBB0_16
	.p2align	4
.LBB0_136:
	movq	328(%rsp), %rcx
	vpbroadcastd	%eax, %zmm0
	vmovdqu64	1344(%rsp), %zmm2
	vmovups	(%rcx), %zmm1
	vcmpnltps	(%r9), %zmm1, %k1
	vmovdqu64	1280(%rsp), %zmm1
	vpblendmd	(%r10), %zmm0, %zmm3 {%k1}
	movq	248(%rsp), %rax
	movq	40(%rsp), %rdx
	kshiftrw	$8, %k1, %k2
	vpblendmq	%zmm11, %zmm1, %zmm1 {%k1}
	kxnorb	%k0, %k0, %k1
	vmovdqu64	%zmm3, (%r10)
	vpblendmq	%zmm10, %zmm2, %zmm2 {%k2}
	vpxor	%xmm3, %xmm3, %xmm3
	vgatherqps	(,%zmm2), %ymm3 {%k1}
	kxnorb	%k0, %k0, %k1
	vxorps	%xmm2, %xmm2, %xmm2
	vgatherqps	(,%zmm1), %ymm2 {%k1}
	vinsertf64x4	$1, %ymm3, %zmm2, %zmm1
	vmovdqu64	1216(%rsp), %zmm2
	vmovups	%zmm1, (%r9)
	vmovups	(%rax), %zmm1
	vcmpnltps	(%rdx), %zmm1, %k1
	vmovdqu64	1152(%rsp), %zmm1
	vpblendmd	(%r11), %zmm0, %zmm3 {%k1}
	movq	240(%rsp), %rcx
	kshiftrw	$8, %k1, %k2
	vpblendmq	%zmm14, %zmm1, %zmm1 {%k1}
	kxnorb	%k0, %k0, %k1
	vmovdqu64	%zmm3, 64(%r10)
	vpblendmq	%zmm13, %zmm2, %zmm2 {%k2}
	vpxor	%xmm3, %xmm3, %xmm3
	vgatherqps	(,%zmm2), %ymm3 {%k1}
	kxnorb	%k0, %k0, %k1
	vxorps	%xmm2, %xmm2, %xmm2
	vgatherqps	(,%zmm1), %ymm2 {%k1}
	vinsertf64x4	$1, %ymm3, %zmm2, %zmm1
	vmovdqu64	1088(%rsp), %zmm2
	vmovups	%zmm1, (%rdx)
	movq	32(%rsp), %rdx
	vmovups	(%rcx), %zmm1
	movq	56(%rsp), %rcx
	vcmpnltps	(%rdx), %zmm1, %k1
	vmovdqu64	1024(%rsp), %zmm1
	vpblendmd	(%rcx), %zmm0, %zmm3 {%k1}
	movq	232(%rsp), %rcx
	movq	96(%rsp), %r8
	kshiftrw	$8, %k1, %k2
	vpblendmq	%zmm17, %zmm1, %zmm1 {%k1}
	kxnorb	%k0, %k0, %k1
	vmovdqu64	%zmm3, 128(%r10)
	vpblendmq	%zmm16, %zmm2, %zmm2 {%k2}
	vpxor	%xmm3, %xmm3, %xmm3
	vgatherqps	(,%zmm2), %ymm3 {%k1}
	kxnorb	%k0, %k0, %k1
	vxorps	%xmm2, %xmm2, %xmm2
	vgatherqps	(,%zmm1), %ymm2 {%k1}
	vinsertf64x4	$1, %ymm3, %zmm2, %zmm1
	vmovdqu64	960(%rsp), %zmm2
	vmovups	%zmm1, (%rdx)
	movq	24(%rsp), %rdx
	vmovups	(%rcx), %zmm1
	movq	48(%rsp), %rcx
	vcmpnltps	(%rdx), %zmm1, %k1
	vmovdqu64	896(%rsp), %zmm1
	vmovdqu32	(%rcx), %zmm0 {%k1}
	kshiftrw	$8, %k1, %k2
	vpblendmq	%zmm9, %zmm1, %zmm1 {%k1}
	kxnorb	%k0, %k0, %k1
	vpblendmq	%zmm19, %zmm2, %zmm2 {%k2}
	vmovdqu64	%zmm0, 192(%r10)
	vpxor	%xmm0, %xmm0, %xmm0
	vgatherqps	(,%zmm2), %ymm0 {%k1}
	kxnorb	%k0, %k0, %k1
	vxorps	%xmm2, %xmm2, %xmm2
	vgatherqps	(,%zmm1), %ymm2 {%k1}
	vinsertf64x4	$1, %ymm0, %zmm2, %zmm0
	vmovups	%zmm0, (%rdx)
.LBB0_102:
	movq	104(%rsp), %rcx
	leaq	-1(%r8), %rax
	addq	$4, %rcx
	cmpq	$1, %r8
	jle	.LBB0_103
.LBB0_16:
	movq	%rax, 96(%rsp)
	movq	$0, 376(%rsp)
	subq	$8, %rsp
	.cfi_adjust_cfa_offset 8
	movq	%rcx, %rax
	movq	3056(%rsp), %rdx
	movq	3064(%rsp), %rcx
	movq	96(%rsp), %r8
	movq	3080(%rsp), %r9
	leaq	384(%rsp), %rdi
	leaq	120(%rsp), %rsi
	pushq	3424(%rsp)
	.cfi_adjust_cfa_offset 8
	pushq	3424(%rsp)
	.cfi_adjust_cfa_offset 8
	pushq	3416(%rsp)
	.cfi_adjust_cfa_offset 8
	pushq	3416(%rsp)
	.cfi_adjust_cfa_offset 8
	pushq	%r15
	.cfi_adjust_cfa_offset 8
	pushq	3408(%rsp)
	.cfi_adjust_cfa_offset 8
	pushq	416(%rsp)
	.cfi_adjust_cfa_offset 8
	pushq	3408(%rsp)
	.cfi_adjust_cfa_offset 8
	pushq	3408(%rsp)
	.cfi_adjust_cfa_offset 8
	movq	%rax, 184(%rsp)
	pushq	%rax
	.cfi_adjust_cfa_offset 8
	pushq	3344(%rsp)
	.cfi_adjust_cfa_offset 8
	pushq	3344(%rsp)
	.cfi_adjust_cfa_offset 8
	pushq	3344(%rsp)
	.cfi_adjust_cfa_offset 8
	pushq	3344(%rsp)
	.cfi_adjust_cfa_offset 8
	pushq	3344(%rsp)
	.cfi_adjust_cfa_offset 8
	pushq	3344(%rsp)
	.cfi_adjust_cfa_offset 8
	pushq	3344(%rsp)
	.cfi_adjust_cfa_offset 8
	pushq	3344(%rsp)
	.cfi_adjust_cfa_offset 8
	pushq	3344(%rsp)
	.cfi_adjust_cfa_offset 8
	pushq	3344(%rsp)
	.cfi_adjust_cfa_offset 8
	pushq	3344(%rsp)
	.cfi_adjust_cfa_offset 8
	pushq	3344(%rsp)
	.cfi_adjust_cfa_offset 8
	pushq	3344(%rsp)
	.cfi_adjust_cfa_offset 8
	pushq	3344(%rsp)
	.cfi_adjust_cfa_offset 8
	pushq	3344(%rsp)
	.cfi_adjust_cfa_offset 8
	pushq	3344(%rsp)
	.cfi_adjust_cfa_offset 8
	pushq	3344(%rsp)
	.cfi_adjust_cfa_offset 8
	pushq	3344(%rsp)
	.cfi_adjust_cfa_offset 8
	pushq	3336(%rsp)
	.cfi_adjust_cfa_offset 8
	pushq	3336(%rsp)
	.cfi_adjust_cfa_offset 8
	pushq	616(%rsp)
	.cfi_adjust_cfa_offset 8
	movabsq	$_ZN8__main__4fourB2v5B66c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2IZKIKUpsIgmAA_3d_3dE5ArrayIfLi2E1C7mutable7alignedE5ArrayIfLi2E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedEx5ArrayIfLi2E1C7mutable7alignedE, %rax
	vzeroupper
	callq	*%rax
	addq	$256, %rsp
	.cfi_adjust_cfa_offset -256
	testl	%eax, %eax
	je	.LBB0_18
	cmpl	$-2, %eax
	jne	.LBB0_131
.LBB0_18:
	cmpb	$0, 15(%rsp)
	movq	104(%rsp), %rax
	je	.LBB0_20
	vmovdqu64	832(%rsp), %zmm10
	vmovdqu64	768(%rsp), %zmm11
	vmovdqu64	704(%rsp), %zmm13
	vmovdqu64	640(%rsp), %zmm14
	vmovdqu64	576(%rsp), %zmm16
	vmovdqu64	512(%rsp), %zmm17
	vmovdqu64	448(%rsp), %zmm19
	vmovdqu64	384(%rsp), %zmm9
	movq	64(%rsp), %r9
	movq	80(%rsp), %r10
	movq	72(%rsp), %r11
	xorl	%ecx, %ecx
	xorl	%edx, %edx
	jmp	.LBB0_129
	.p2align	4
.LBB0_127:
	movl	(%r12,%rcx), %edi
	movq	%rdx, %rsi
	orq	$7, %rsi
	leaq	(%rbx,%rsi,4), %rsi
.LBB0_128:
	movl	%edi, (%r12,%rcx)
	addq	$8, %rdx
	vmovss	(%rsi), %xmm0
	vmovss	%xmm0, 28(%rbx,%rcx)
	addq	$32, %rcx
	cmpq	$256, %rcx
	je	.LBB0_21
.LBB0_129:
	vmovss	(%rbx,%rcx), %xmm0
	vucomiss	(%r15,%rcx), %xmm0
	jbe	.LBB0_106
	leaq	(%r15,%rdx,4), %rsi
	movl	%eax, %edi
	jmp	.LBB0_107
	.p2align	4
.LBB0_106:
	movl	-28(%r12,%rcx), %edi
	leaq	(%rbx,%rcx), %rsi
.LBB0_107:
	movl	%edi, -28(%r12,%rcx)
	vmovss	(%rsi), %xmm0
	vmovss	%xmm0, (%rbx,%rcx)
	vmovss	4(%rbx,%rcx), %xmm0
	vucomiss	4(%r15,%rcx), %xmm0
	jbe	.LBB0_109
	leaq	4(%r15,%rcx), %rsi
	movl	%eax, %edi
	jmp	.LBB0_110
	.p2align	4
.LBB0_109:
	movl	-24(%r12,%rcx), %edi
	movq	%rdx, %rsi
	orq	$1, %rsi
	leaq	(%rbx,%rsi,4), %rsi
.LBB0_110:
	movl	%edi, -24(%r12,%rcx)
	vmovss	(%rsi), %xmm0
	vmovss	%xmm0, 4(%rbx,%rcx)
	vmovss	8(%rbx,%rcx), %xmm0
	vucomiss	8(%r15,%rcx), %xmm0
	jbe	.LBB0_112
	leaq	8(%r15,%rcx), %rsi
	movl	%eax, %edi
	jmp	.LBB0_113
	.p2align	4
.LBB0_112:
	movl	-20(%r12,%rcx), %edi
	movq	%rdx, %rsi
	orq	$2, %rsi
	leaq	(%rbx,%rsi,4), %rsi
.LBB0_113:
	movl	%edi, -20(%r12,%rcx)
	vmovss	(%rsi), %xmm0
	vmovss	%xmm0, 8(%rbx,%rcx)
	vmovss	12(%rbx,%rcx), %xmm0
	vucomiss	12(%r15,%rcx), %xmm0
	jbe	.LBB0_115
	leaq	12(%r15,%rcx), %rsi
	movl	%eax, %edi
	jmp	.LBB0_116
	.p2align	4
.LBB0_115:
	movl	-16(%r12,%rcx), %edi
	movq	%rdx, %rsi
	orq	$3, %rsi
	leaq	(%rbx,%rsi,4), %rsi
.LBB0_116:
	movl	%edi, -16(%r12,%rcx)
	vmovss	(%rsi), %xmm0
	vmovss	%xmm0, 12(%rbx,%rcx)
	vmovss	16(%rbx,%rcx), %xmm0
	vucomiss	16(%r15,%rcx), %xmm0
	jbe	.LBB0_118
	leaq	16(%r15,%rcx), %rsi
	movl	%eax, %edi
	jmp	.LBB0_119
	.p2align	4
.LBB0_118:
	movl	-12(%r12,%rcx), %edi
	movq	%rdx, %rsi
	orq	$4, %rsi
	leaq	(%rbx,%rsi,4), %rsi
.LBB0_119:
	movl	%edi, -12(%r12,%rcx)
	vmovss	(%rsi), %xmm0
	vmovss	%xmm0, 16(%rbx,%rcx)
	vmovss	20(%rbx,%rcx), %xmm0
	vucomiss	20(%r15,%rcx), %xmm0
	jbe	.LBB0_121
	leaq	20(%r15,%rcx), %rsi
	movl	%eax, %edi
	jmp	.LBB0_122
	.p2align	4
.LBB0_121:
	movl	-8(%r12,%rcx), %edi
	movq	%rdx, %rsi
	orq	$5, %rsi
	leaq	(%rbx,%rsi,4), %rsi
.LBB0_122:
	movl	%edi, -8(%r12,%rcx)
	vmovss	(%rsi), %xmm0
	vmovss	%xmm0, 20(%rbx,%rcx)
	vmovss	24(%rbx,%rcx), %xmm0
	vucomiss	24(%r15,%rcx), %xmm0
	jbe	.LBB0_124
	leaq	24(%r15,%rcx), %rsi
	movl	%eax, %edi
	jmp	.LBB0_125
	.p2align	4
.LBB0_124:
	movl	-4(%r12,%rcx), %edi
	movq	%rdx, %rsi
	orq	$6, %rsi
	leaq	(%rbx,%rsi,4), %rsi
.LBB0_125:
	movl	%edi, -4(%r12,%rcx)
	vmovss	(%rsi), %xmm0
	vmovss	%xmm0, 24(%rbx,%rcx)
	vmovss	28(%rbx,%rcx), %xmm0
	vucomiss	28(%r15,%rcx), %xmm0
	jbe	.LBB0_127
	leaq	28(%r15,%rcx), %rsi
	movl	%eax, %edi
	jmp	.LBB0_128
	.p2align	4
.LBB0_20:
	movq	352(%rsp), %rcx
	movq	64(%rsp), %r9
	movq	80(%rsp), %r10
	vpbroadcastd	%eax, %zmm0
	vmovdqu64	768(%rsp), %zmm11
	vmovdqu64	2880(%rsp), %zmm2
	vmovdqu64	832(%rsp), %zmm10
	vmovups	(%rcx), %zmm1
	vcmpnltps	(%r9), %zmm1, %k1
	vmovdqu64	2816(%rsp), %zmm1
	vpblendmd	(%r10), %zmm0, %zmm3 {%k1}
	movq	320(%rsp), %rcx
	movq	40(%rsp), %rsi
	movq	72(%rsp), %r11
	vmovdqu64	640(%rsp), %zmm14
	vmovdqu64	704(%rsp), %zmm13
	kshiftrw	$8, %k1, %k2
	vpblendmq	%zmm11, %zmm1, %zmm1 {%k1}
	kxnorb	%k0, %k0, %k1
	vmovdqu64	%zmm3, (%r10)
	vpblendmq	%zmm10, %zmm2, %zmm2 {%k2}
	vpxor	%xmm3, %xmm3, %xmm3
	vgatherqps	(,%zmm2), %ymm3 {%k1}
	kxnorb	%k0, %k0, %k1
	vxorps	%xmm2, %xmm2, %xmm2
	vgatherqps	(,%zmm1), %ymm2 {%k1}
	vinsertf64x4	$1, %ymm3, %zmm2, %zmm1
	vmovdqu64	2752(%rsp), %zmm2
	vmovups	%zmm1, (%r9)
	vmovups	(%rcx), %zmm1
	vcmpnltps	(%rsi), %zmm1, %k1
	vmovdqu64	2688(%rsp), %zmm1
	vpblendmd	(%r11), %zmm0, %zmm3 {%k1}
	movq	312(%rsp), %rdx
	vmovdqu64	512(%rsp), %zmm17
	vmovdqu64	576(%rsp), %zmm16
	kshiftrw	$8, %k1, %k2
	vpblendmq	%zmm14, %zmm1, %zmm1 {%k1}
	kxnorb	%k0, %k0, %k1
	vmovdqu64	%zmm3, 64(%r10)
	vpblendmq	%zmm13, %zmm2, %zmm2 {%k2}
	vpxor	%xmm3, %xmm3, %xmm3
	vgatherqps	(,%zmm2), %ymm3 {%k1}
	kxnorb	%k0, %k0, %k1
	vxorps	%xmm2, %xmm2, %xmm2
	vgatherqps	(,%zmm1), %ymm2 {%k1}
	vinsertf64x4	$1, %ymm3, %zmm2, %zmm1
	vmovdqu64	2624(%rsp), %zmm2
	vmovups	%zmm1, (%rsi)
	movq	32(%rsp), %rsi
	vmovups	(%rdx), %zmm1
	movq	56(%rsp), %rdx
	vcmpnltps	(%rsi), %zmm1, %k1
	vmovdqu64	2560(%rsp), %zmm1
	vpblendmd	(%rdx), %zmm0, %zmm3 {%k1}
	movq	304(%rsp), %rdx
	vmovdqu64	384(%rsp), %zmm9
	vmovdqu64	448(%rsp), %zmm19
	kshiftrw	$8, %k1, %k2
	vpblendmq	%zmm17, %zmm1, %zmm1 {%k1}
	kxnorb	%k0, %k0, %k1
	vmovdqu64	%zmm3, 128(%r10)
	vpblendmq	%zmm16, %zmm2, %zmm2 {%k2}
	vpxor	%xmm3, %xmm3, %xmm3
	vgatherqps	(,%zmm2), %ymm3 {%k1}
	kxnorb	%k0, %k0, %k1
	vxorps	%xmm2, %xmm2, %xmm2
	vgatherqps	(,%zmm1), %ymm2 {%k1}
	vinsertf64x4	$1, %ymm3, %zmm2, %zmm1
	vmovdqu64	2496(%rsp), %zmm2
	vmovups	%zmm1, (%rsi)
	movq	24(%rsp), %rsi
	vmovups	(%rdx), %zmm1
	movq	48(%rsp), %rdx
	vcmpnltps	(%rsi), %zmm1, %k1
	vmovdqu64	2432(%rsp), %zmm1
	vmovdqu32	(%rdx), %zmm0 {%k1}
	kshiftrw	$8, %k1, %k2
	vpblendmq	%zmm9, %zmm1, %zmm1 {%k1}
	kxnorb	%k0, %k0, %k1
	vpblendmq	%zmm19, %zmm2, %zmm2 {%k2}
	vmovdqu64	%zmm0, 192(%r10)
	vpxor	%xmm0, %xmm0, %xmm0
	vgatherqps	(,%zmm2), %ymm0 {%k1}
	kxnorb	%k0, %k0, %k1
	vxorps	%xmm2, %xmm2, %xmm2
	vgatherqps	(,%zmm1), %ymm2 {%k1}
	vinsertf64x4	$1, %ymm0, %zmm2, %zmm0
	vmovups	%zmm0, (%rsi)
.LBB0_21:
	movl	%eax, %ecx
	orl	$1, %ecx
	cmpb	$0, 14(%rsp)
	je	.LBB0_134
	xorl	%edx, %edx
	xorl	%esi, %esi
	jmp	.LBB0_23
	.p2align	4
.LBB0_46:
	movl	(%r12,%rdx), %r8d
	movq	%rsi, %rdi
	orq	$7, %rdi
	leaq	(%rbx,%rdi,4), %rdi
.LBB0_47:
	movl	%r8d, (%r12,%rdx)
	addq	$8, %rsi
	vmovss	(%rdi), %xmm0
	vmovss	%xmm0, 28(%rbx,%rdx)
	addq	$32, %rdx
	cmpq	$256, %rdx
	je	.LBB0_48
.LBB0_23:
	vmovss	(%rbx,%rdx), %xmm0
	vucomiss	(%r13,%rdx), %xmm0
	jbe	.LBB0_25
	leaq	(%r13,%rsi,4), %rdi
	movl	%ecx, %r8d
	jmp	.LBB0_26
	.p2align	4
.LBB0_25:
	movl	-28(%r12,%rdx), %r8d
	leaq	(%rbx,%rdx), %rdi
.LBB0_26:
	movl	%r8d, -28(%r12,%rdx)
	vmovss	(%rdi), %xmm0
	vmovss	%xmm0, (%rbx,%rdx)
	vmovss	4(%rbx,%rdx), %xmm0
	vucomiss	4(%r13,%rdx), %xmm0
	jbe	.LBB0_28
	leaq	4(%r13,%rdx), %rdi
	movl	%ecx, %r8d
	jmp	.LBB0_29
	.p2align	4
.LBB0_28:
	movl	-24(%r12,%rdx), %r8d
	movq	%rsi, %rdi
	orq	$1, %rdi
	leaq	(%rbx,%rdi,4), %rdi
.LBB0_29:
	movl	%r8d, -24(%r12,%rdx)
	vmovss	(%rdi), %xmm0
	vmovss	%xmm0, 4(%rbx,%rdx)
	vmovss	8(%rbx,%rdx), %xmm0
	vucomiss	8(%r13,%rdx), %xmm0
	jbe	.LBB0_31
	leaq	8(%r13,%rdx), %rdi
	movl	%ecx, %r8d
	jmp	.LBB0_32
	.p2align	4
.LBB0_31:
	movl	-20(%r12,%rdx), %r8d
	movq	%rsi, %rdi
	orq	$2, %rdi
	leaq	(%rbx,%rdi,4), %rdi
.LBB0_32:
	movl	%r8d, -20(%r12,%rdx)
	vmovss	(%rdi), %xmm0
	vmovss	%xmm0, 8(%rbx,%rdx)
	vmovss	12(%rbx,%rdx), %xmm0
	vucomiss	12(%r13,%rdx), %xmm0
	jbe	.LBB0_34
	leaq	12(%r13,%rdx), %rdi
	movl	%ecx, %r8d
	jmp	.LBB0_35
	.p2align	4
.LBB0_34:
	movl	-16(%r12,%rdx), %r8d
	movq	%rsi, %rdi
	orq	$3, %rdi
	leaq	(%rbx,%rdi,4), %rdi
.LBB0_35:
	movl	%r8d, -16(%r12,%rdx)
	vmovss	(%rdi), %xmm0
	vmovss	%xmm0, 12(%rbx,%rdx)
	vmovss	16(%rbx,%rdx), %xmm0
	vucomiss	16(%r13,%rdx), %xmm0
	jbe	.LBB0_37
	leaq	16(%r13,%rdx), %rdi
	movl	%ecx, %r8d
	jmp	.LBB0_38
	.p2align	4
.LBB0_37:
	movl	-12(%r12,%rdx), %r8d
	movq	%rsi, %rdi
	orq	$4, %rdi
	leaq	(%rbx,%rdi,4), %rdi
.LBB0_38:
	movl	%r8d, -12(%r12,%rdx)
	vmovss	(%rdi), %xmm0
	vmovss	%xmm0, 16(%rbx,%rdx)
	vmovss	20(%rbx,%rdx), %xmm0
	vucomiss	20(%r13,%rdx), %xmm0
	jbe	.LBB0_40
	leaq	20(%r13,%rdx), %rdi
	movl	%ecx, %r8d
	jmp	.LBB0_41
	.p2align	4
.LBB0_40:
	movl	-8(%r12,%rdx), %r8d
	movq	%rsi, %rdi
	orq	$5, %rdi
	leaq	(%rbx,%rdi,4), %rdi
.LBB0_41:
	movl	%r8d, -8(%r12,%rdx)
	vmovss	(%rdi), %xmm0
	vmovss	%xmm0, 20(%rbx,%rdx)
	vmovss	24(%rbx,%rdx), %xmm0
	vucomiss	24(%r13,%rdx), %xmm0
	jbe	.LBB0_43
	leaq	24(%r13,%rdx), %rdi
	movl	%ecx, %r8d
	jmp	.LBB0_44
	.p2align	4
.LBB0_43:
	movl	-4(%r12,%rdx), %r8d
	movq	%rsi, %rdi
	orq	$6, %rdi
	leaq	(%rbx,%rdi,4), %rdi
.LBB0_44:
	movl	%r8d, -4(%r12,%rdx)
	vmovss	(%rdi), %xmm0
	vmovss	%xmm0, 24(%rbx,%rdx)
	vmovss	28(%rbx,%rdx), %xmm0
	vucomiss	28(%r13,%rdx), %xmm0
	jbe	.LBB0_46
	leaq	28(%r13,%rdx), %rdi
	movl	%ecx, %r8d
	jmp	.LBB0_47
	.p2align	4
.LBB0_134:
	movq	344(%rsp), %rdx
	vpbroadcastd	%ecx, %zmm0
	vmovdqu64	2368(%rsp), %zmm2
	vmovups	(%rdx), %zmm1
	vcmpnltps	(%r9), %zmm1, %k1
	vmovdqu64	2304(%rsp), %zmm1
	vpblendmd	(%r10), %zmm0, %zmm3 {%k1}
	movq	296(%rsp), %rcx
	movq	40(%rsp), %rsi
	kshiftrw	$8, %k1, %k2
	vpblendmq	%zmm11, %zmm1, %zmm1 {%k1}
	kxnorb	%k0, %k0, %k1
	vmovdqu64	%zmm3, (%r10)
	vpblendmq	%zmm10, %zmm2, %zmm2 {%k2}
	vpxor	%xmm3, %xmm3, %xmm3
	vgatherqps	(,%zmm2), %ymm3 {%k1}
	kxnorb	%k0, %k0, %k1
	vxorps	%xmm2, %xmm2, %xmm2
	vgatherqps	(,%zmm1), %ymm2 {%k1}
	vinsertf64x4	$1, %ymm3, %zmm2, %zmm1
	vmovdqu64	2240(%rsp), %zmm2
	vmovups	%zmm1, (%r9)
	vmovups	(%rcx), %zmm1
	vcmpnltps	(%rsi), %zmm1, %k1
	vmovdqu64	2176(%rsp), %zmm1
	vpblendmd	(%r11), %zmm0, %zmm3 {%k1}
	movq	288(%rsp), %rdx
	kshiftrw	$8, %k1, %k2
	vpblendmq	%zmm14, %zmm1, %zmm1 {%k1}
	kxnorb	%k0, %k0, %k1
	vmovdqu64	%zmm3, 64(%r10)
	vpblendmq	%zmm13, %zmm2, %zmm2 {%k2}
	vpxor	%xmm3, %xmm3, %xmm3
	vgatherqps	(,%zmm2), %ymm3 {%k1}
	kxnorb	%k0, %k0, %k1
	vxorps	%xmm2, %xmm2, %xmm2
	vgatherqps	(,%zmm1), %ymm2 {%k1}
	vinsertf64x4	$1, %ymm3, %zmm2, %zmm1
	vmovdqu64	2112(%rsp), %zmm2
	vmovups	%zmm1, (%rsi)
	movq	32(%rsp), %rsi
	vmovups	(%rdx), %zmm1
	movq	56(%rsp), %rdx
	vcmpnltps	(%rsi), %zmm1, %k1
	vmovdqu64	2048(%rsp), %zmm1
	vpblendmd	(%rdx), %zmm0, %zmm3 {%k1}
	movq	280(%rsp), %rdx
	kshiftrw	$8, %k1, %k2
	vpblendmq	%zmm17, %zmm1, %zmm1 {%k1}
	kxnorb	%k0, %k0, %k1
	vmovdqu64	%zmm3, 128(%r10)
	vpblendmq	%zmm16, %zmm2, %zmm2 {%k2}
	vpxor	%xmm3, %xmm3, %xmm3
	vgatherqps	(,%zmm2), %ymm3 {%k1}
	kxnorb	%k0, %k0, %k1
	vxorps	%xmm2, %xmm2, %xmm2
	vgatherqps	(,%zmm1), %ymm2 {%k1}
	vinsertf64x4	$1, %ymm3, %zmm2, %zmm1
	vmovdqu64	1984(%rsp), %zmm2
	vmovups	%zmm1, (%rsi)
	movq	24(%rsp), %rsi
	vmovups	(%rdx), %zmm1
	movq	48(%rsp), %rdx
	vcmpnltps	(%rsi), %zmm1, %k1
	vmovdqu64	1920(%rsp), %zmm1
	vmovdqu32	(%rdx), %zmm0 {%k1}
	kshiftrw	$8, %k1, %k2
	vpblendmq	%zmm9, %zmm1, %zmm1 {%k1}
	kxnorb	%k0, %k0, %k1
	vpblendmq	%zmm19, %zmm2, %zmm2 {%k2}
	vmovdqu64	%zmm0, 192(%r10)
	vpxor	%xmm0, %xmm0, %xmm0
	vgatherqps	(,%zmm2), %ymm0 {%k1}
	kxnorb	%k0, %k0, %k1
	vxorps	%xmm2, %xmm2, %xmm2
	vgatherqps	(,%zmm1), %ymm2 {%k1}
	vinsertf64x4	$1, %ymm0, %zmm2, %zmm0
	vmovups	%zmm0, (%rsi)
.LBB0_48:
	movl	%eax, %ecx
	orl	$2, %ecx
	cmpb	$0, 13(%rsp)
	je	.LBB0_135
	xorl	%edx, %edx
	xorl	%esi, %esi
	jmp	.LBB0_50
	.p2align	4
.LBB0_73:
	movl	(%r12,%rdx), %r8d
	movq	%rsi, %rdi
	orq	$7, %rdi
	leaq	(%rbx,%rdi,4), %rdi
.LBB0_74:
	movl	%r8d, (%r12,%rdx)
	addq	$8, %rsi
	vmovss	(%rdi), %xmm0
	vmovss	%xmm0, 28(%rbx,%rdx)
	addq	$32, %rdx
	cmpq	$256, %rdx
	je	.LBB0_75
.LBB0_50:
	vmovss	(%rbx,%rdx), %xmm0
	vucomiss	(%rbp,%rdx), %xmm0
	jbe	.LBB0_52
	leaq	(%rbp,%rsi,4), %rdi
	movl	%ecx, %r8d
	jmp	.LBB0_53
	.p2align	4
.LBB0_52:
	movl	-28(%r12,%rdx), %r8d
	leaq	(%rbx,%rdx), %rdi
.LBB0_53:
	movl	%r8d, -28(%r12,%rdx)
	vmovss	(%rdi), %xmm0
	vmovss	%xmm0, (%rbx,%rdx)
	vmovss	4(%rbx,%rdx), %xmm0
	vucomiss	4(%rbp,%rdx), %xmm0
	jbe	.LBB0_55
	leaq	4(%rbp,%rdx), %rdi
	movl	%ecx, %r8d
	jmp	.LBB0_56
	.p2align	4
.LBB0_55:
	movl	-24(%r12,%rdx), %r8d
	movq	%rsi, %rdi
	orq	$1, %rdi
	leaq	(%rbx,%rdi,4), %rdi
.LBB0_56:
	movl	%r8d, -24(%r12,%rdx)
	vmovss	(%rdi), %xmm0
	vmovss	%xmm0, 4(%rbx,%rdx)
	vmovss	8(%rbx,%rdx), %xmm0
	vucomiss	8(%rbp,%rdx), %xmm0
	jbe	.LBB0_58
	leaq	8(%rbp,%rdx), %rdi
	movl	%ecx, %r8d
	jmp	.LBB0_59
	.p2align	4
.LBB0_58:
	movl	-20(%r12,%rdx), %r8d
	movq	%rsi, %rdi
	orq	$2, %rdi
	leaq	(%rbx,%rdi,4), %rdi
.LBB0_59:
	movl	%r8d, -20(%r12,%rdx)
	vmovss	(%rdi), %xmm0
	vmovss	%xmm0, 8(%rbx,%rdx)
	vmovss	12(%rbx,%rdx), %xmm0
	vucomiss	12(%rbp,%rdx), %xmm0
	jbe	.LBB0_61
	leaq	12(%rbp,%rdx), %rdi
	movl	%ecx, %r8d
	jmp	.LBB0_62
	.p2align	4
.LBB0_61:
	movl	-16(%r12,%rdx), %r8d
	movq	%rsi, %rdi
	orq	$3, %rdi
	leaq	(%rbx,%rdi,4), %rdi
.LBB0_62:
	movl	%r8d, -16(%r12,%rdx)
	vmovss	(%rdi), %xmm0
	vmovss	%xmm0, 12(%rbx,%rdx)
	vmovss	16(%rbx,%rdx), %xmm0
	vucomiss	16(%rbp,%rdx), %xmm0
	jbe	.LBB0_64
	leaq	16(%rbp,%rdx), %rdi
	movl	%ecx, %r8d
	jmp	.LBB0_65
	.p2align	4
.LBB0_64:
	movl	-12(%r12,%rdx), %r8d
	movq	%rsi, %rdi
	orq	$4, %rdi
	leaq	(%rbx,%rdi,4), %rdi
.LBB0_65:
	movl	%r8d, -12(%r12,%rdx)
	vmovss	(%rdi), %xmm0
	vmovss	%xmm0, 16(%rbx,%rdx)
	vmovss	20(%rbx,%rdx), %xmm0
	vucomiss	20(%rbp,%rdx), %xmm0
	jbe	.LBB0_67
	leaq	20(%rbp,%rdx), %rdi
	movl	%ecx, %r8d
	jmp	.LBB0_68
	.p2align	4
.LBB0_67:
	movl	-8(%r12,%rdx), %r8d
	movq	%rsi, %rdi
	orq	$5, %rdi
	leaq	(%rbx,%rdi,4), %rdi
.LBB0_68:
	movl	%r8d, -8(%r12,%rdx)
	vmovss	(%rdi), %xmm0
	vmovss	%xmm0, 20(%rbx,%rdx)
	vmovss	24(%rbx,%rdx), %xmm0
	vucomiss	24(%rbp,%rdx), %xmm0
	jbe	.LBB0_70
	leaq	24(%rbp,%rdx), %rdi
	movl	%ecx, %r8d
	jmp	.LBB0_71
	.p2align	4
.LBB0_70:
	movl	-4(%r12,%rdx), %r8d
	movq	%rsi, %rdi
	orq	$6, %rdi
	leaq	(%rbx,%rdi,4), %rdi
.LBB0_71:
	movl	%r8d, -4(%r12,%rdx)
	vmovss	(%rdi), %xmm0
	vmovss	%xmm0, 24(%rbx,%rdx)
	vmovss	28(%rbx,%rdx), %xmm0
	vucomiss	28(%rbp,%rdx), %xmm0
	jbe	.LBB0_73
	leaq	28(%rbp,%rdx), %rdi
	movl	%ecx, %r8d
	jmp	.LBB0_74
	.p2align	4
.LBB0_135:
	movq	336(%rsp), %rdx
	vpbroadcastd	%ecx, %zmm0
	vmovdqu64	1856(%rsp), %zmm2
	vmovups	(%rdx), %zmm1
	vcmpnltps	(%r9), %zmm1, %k1
	vmovdqu64	1792(%rsp), %zmm1
	vpblendmd	(%r10), %zmm0, %zmm3 {%k1}
	movq	272(%rsp), %rcx
	movq	40(%rsp), %rsi
	kshiftrw	$8, %k1, %k2
	vpblendmq	%zmm11, %zmm1, %zmm1 {%k1}
	kxnorb	%k0, %k0, %k1
	vmovdqu64	%zmm3, (%r10)
	vpblendmq	%zmm10, %zmm2, %zmm2 {%k2}
	vpxor	%xmm3, %xmm3, %xmm3
	vgatherqps	(,%zmm2), %ymm3 {%k1}
	kxnorb	%k0, %k0, %k1
	vxorps	%xmm2, %xmm2, %xmm2
	vgatherqps	(,%zmm1), %ymm2 {%k1}
	vinsertf64x4	$1, %ymm3, %zmm2, %zmm1
	vmovdqu64	1728(%rsp), %zmm2
	vmovups	%zmm1, (%r9)
	vmovups	(%rcx), %zmm1
	vcmpnltps	(%rsi), %zmm1, %k1
	vmovdqu64	1664(%rsp), %zmm1
	vpblendmd	(%r11), %zmm0, %zmm3 {%k1}
	movq	264(%rsp), %rdx
	kshiftrw	$8, %k1, %k2
	vpblendmq	%zmm14, %zmm1, %zmm1 {%k1}
	kxnorb	%k0, %k0, %k1
	vmovdqu64	%zmm3, 64(%r10)
	vpblendmq	%zmm13, %zmm2, %zmm2 {%k2}
	vpxor	%xmm3, %xmm3, %xmm3
	vgatherqps	(,%zmm2), %ymm3 {%k1}
	kxnorb	%k0, %k0, %k1
	vxorps	%xmm2, %xmm2, %xmm2
	vgatherqps	(,%zmm1), %ymm2 {%k1}
	vinsertf64x4	$1, %ymm3, %zmm2, %zmm1
	vmovdqu64	1600(%rsp), %zmm2
	vmovups	%zmm1, (%rsi)
	movq	32(%rsp), %rsi
	vmovups	(%rdx), %zmm1
	movq	56(%rsp), %rdx
	vcmpnltps	(%rsi), %zmm1, %k1
	vmovdqu64	1536(%rsp), %zmm1
	vpblendmd	(%rdx), %zmm0, %zmm3 {%k1}
	movq	256(%rsp), %rdx
	kshiftrw	$8, %k1, %k2
	vpblendmq	%zmm17, %zmm1, %zmm1 {%k1}
	kxnorb	%k0, %k0, %k1
	vmovdqu64	%zmm3, 128(%r10)
	vpblendmq	%zmm16, %zmm2, %zmm2 {%k2}
	vpxor	%xmm3, %xmm3, %xmm3
	vgatherqps	(,%zmm2), %ymm3 {%k1}
	kxnorb	%k0, %k0, %k1
	vxorps	%xmm2, %xmm2, %xmm2
	vgatherqps	(,%zmm1), %ymm2 {%k1}
	vinsertf64x4	$1, %ymm3, %zmm2, %zmm1
	vmovdqu64	1472(%rsp), %zmm2
	vmovups	%zmm1, (%rsi)
	movq	24(%rsp), %rsi
	vmovups	(%rdx), %zmm1
	movq	48(%rsp), %rdx
	vcmpnltps	(%rsi), %zmm1, %k1
	vmovdqu64	1408(%rsp), %zmm1
	vmovdqu32	(%rdx), %zmm0 {%k1}
	kshiftrw	$8, %k1, %k2
	vpblendmq	%zmm9, %zmm1, %zmm1 {%k1}
	kxnorb	%k0, %k0, %k1
	vpblendmq	%zmm19, %zmm2, %zmm2 {%k2}
	vmovdqu64	%zmm0, 192(%r10)
	vpxor	%xmm0, %xmm0, %xmm0
	vgatherqps	(,%zmm2), %ymm0 {%k1}
	kxnorb	%k0, %k0, %k1
	vxorps	%xmm2, %xmm2, %xmm2
	vgatherqps	(,%zmm1), %ymm2 {%k1}
	vinsertf64x4	$1, %ymm0, %zmm2, %zmm0
	vmovups	%zmm0, (%rsi)
.LBB0_75:
	orl	$3, %eax
	cmpb	$0, 12(%rsp)
	je	.LBB0_136
	movq	96(%rsp), %r8
	xorl	%ecx, %ecx
	xorl	%edx, %edx
	jmp	.LBB0_77
	.p2align	4
.LBB0_100:
	movl	(%r12,%rcx), %edi
	movq	%rdx, %rsi
	orq	$7, %rsi
	leaq	(%rbx,%rsi,4), %rsi
.LBB0_101:
	movl	%edi, (%r12,%rcx)
	addq	$8, %rdx
	vmovss	(%rsi), %xmm0
	vmovss	%xmm0, 28(%rbx,%rcx)
	addq	$32, %rcx
	cmpq	$256, %rcx
	je	.LBB0_102
.LBB0_77:
	vmovss	(%rbx,%rcx), %xmm0
	vucomiss	(%r14,%rcx), %xmm0
	jbe	.LBB0_79
	leaq	(%r14,%rdx,4), %rsi
	movl	%eax, %edi
	jmp	.LBB0_80
	.p2align	4
.LBB0_79:
	movl	-28(%r12,%rcx), %edi
	leaq	(%rbx,%rcx), %rsi
.LBB0_80:
	movl	%edi, -28(%r12,%rcx)
	vmovss	(%rsi), %xmm0
	vmovss	%xmm0, (%rbx,%rcx)
	vmovss	4(%rbx,%rcx), %xmm0
	vucomiss	4(%r14,%rcx), %xmm0
	jbe	.LBB0_82
	leaq	4(%r14,%rcx), %rsi
	movl	%eax, %edi
	jmp	.LBB0_83
	.p2align	4
.LBB0_82:
	movl	-24(%r12,%rcx), %edi
	movq	%rdx, %rsi
	orq	$1, %rsi
	leaq	(%rbx,%rsi,4), %rsi
.LBB0_83:
	movl	%edi, -24(%r12,%rcx)
	vmovss	(%rsi), %xmm0
	vmovss	%xmm0, 4(%rbx,%rcx)
	vmovss	8(%rbx,%rcx), %xmm0
	vucomiss	8(%r14,%rcx), %xmm0
	jbe	.LBB0_85
	leaq	8(%r14,%rcx), %rsi
	movl	%eax, %edi
	jmp	.LBB0_86
	.p2align	4
.LBB0_85:
	movl	-20(%r12,%rcx), %edi
	movq	%rdx, %rsi
	orq	$2, %rsi
	leaq	(%rbx,%rsi,4), %rsi
.LBB0_86:
	movl	%edi, -20(%r12,%rcx)
	vmovss	(%rsi), %xmm0
	vmovss	%xmm0, 8(%rbx,%rcx)
	vmovss	12(%rbx,%rcx), %xmm0
	vucomiss	12(%r14,%rcx), %xmm0
	jbe	.LBB0_88
	leaq	12(%r14,%rcx), %rsi
	movl	%eax, %edi
	jmp	.LBB0_89
	.p2align	4
.LBB0_88:
	movl	-16(%r12,%rcx), %edi
	movq	%rdx, %rsi
	orq	$3, %rsi
	leaq	(%rbx,%rsi,4), %rsi
.LBB0_89:
	movl	%edi, -16(%r12,%rcx)
	vmovss	(%rsi), %xmm0
	vmovss	%xmm0, 12(%rbx,%rcx)
	vmovss	16(%rbx,%rcx), %xmm0
	vucomiss	16(%r14,%rcx), %xmm0
	jbe	.LBB0_91
	leaq	16(%r14,%rcx), %rsi
	movl	%eax, %edi
	jmp	.LBB0_92
	.p2align	4
.LBB0_91:
	movl	-12(%r12,%rcx), %edi
	movq	%rdx, %rsi
	orq	$4, %rsi
	leaq	(%rbx,%rsi,4), %rsi
.LBB0_92:
	movl	%edi, -12(%r12,%rcx)
	vmovss	(%rsi), %xmm0
	vmovss	%xmm0, 16(%rbx,%rcx)
	vmovss	20(%rbx,%rcx), %xmm0
	vucomiss	20(%r14,%rcx), %xmm0
	jbe	.LBB0_94
	leaq	20(%r14,%rcx), %rsi
	movl	%eax, %edi
	jmp	.LBB0_95
	.p2align	4
.LBB0_94:
	movl	-8(%r12,%rcx), %edi
	movq	%rdx, %rsi
	orq	$5, %rsi
	leaq	(%rbx,%rsi,4), %rsi
.LBB0_95:
	movl	%edi, -8(%r12,%rcx)
	vmovss	(%rsi), %xmm0
	vmovss	%xmm0, 20(%rbx,%rcx)
	vmovss	24(%rbx,%rcx), %xmm0
	vucomiss	24(%r14,%rcx), %xmm0
	jbe	.LBB0_97
	leaq	24(%r14,%rcx), %rsi
	movl	%eax, %edi
	jmp	.LBB0_98
	.p2align	4
.LBB0_97:
	movl	-4(%r12,%rcx), %edi
	movq	%rdx, %rsi
	orq	$6, %rsi
	leaq	(%rbx,%rsi,4), %rsi
.LBB0_98:
	movl	%edi, -4(%r12,%rcx)
	vmovss	(%rsi), %xmm0
	vmovss	%xmm0, 24(%rbx,%rcx)
	vmovss	28(%rbx,%rcx), %xmm0
	vucomiss	28(%r14,%rcx), %xmm0
	jbe	.LBB0_100
	leaq	28(%r14,%rcx), %rsi
	movl	%eax, %edi
	jmp	.LBB0_101
.LBB0_105:
	movq	$0, (%rdi)
	xorl	%eax, %eax
	jmp	.LBB0_132
.LBB0_131:
	movq	112(%rsp), %rcx
	movq	208(%rsp), %rdx
	movq	%rcx, (%rdx)
.LBB0_132:
	addq	$2952, %rsp
	.cfi_def_cfa_offset 56
	popq	%rbx
	.cfi_def_cfa_offset 48
	popq	%r12
	.cfi_def_cfa_offset 40
	popq	%r13
	.cfi_def_cfa_offset 32
	popq	%r14
	.cfi_def_cfa_offset 24
	popq	%r15
	.cfi_def_cfa_offset 16
	popq	%rbp
	.cfi_def_cfa_offset 8
	vzeroupper
	retq
.Lfunc_end0:
	.size	_ZN8__main__6assignB2v1B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqEqkpAMW0QQAExx5ArrayIxLi1E1C7mutable7alignedE5ArrayIfLi3E1C7mutable7alignedE5ArrayIfLi2E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedE5ArrayIiLi2E1C7mutable7alignedE5ArrayIfLi3E1C7mutable7alignedE5ArrayIfLi2E1C7mutable7alignedE, .Lfunc_end0-_ZN8__main__6assignB2v1B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqEqkpAMW0QQAExx5ArrayIxLi1E1C7mutable7alignedE5ArrayIfLi3E1C7mutable7alignedE5ArrayIfLi2E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedE5ArrayIiLi2E1C7mutable7alignedE5ArrayIfLi3E1C7mutable7alignedE5ArrayIfLi2E1C7mutable7alignedE
	.cfi_endproc

	.globl	_ZN7cpython8__main__6assignB2v1B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqEqkpAMW0QQAExx5ArrayIxLi1E1C7mutable7alignedE5ArrayIfLi3E1C7mutable7alignedE5ArrayIfLi2E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedE5ArrayIiLi2E1C7mutable7alignedE5ArrayIfLi3E1C7mutable7alignedE5ArrayIfLi2E1C7mutable7alignedE
	.p2align	4
	.type	_ZN7cpython8__main__6assignB2v1B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqEqkpAMW0QQAExx5ArrayIxLi1E1C7mutable7alignedE5ArrayIfLi3E1C7mutable7alignedE5ArrayIfLi2E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedE5ArrayIiLi2E1C7mutable7alignedE5ArrayIfLi3E1C7mutable7alignedE5ArrayIfLi2E1C7mutable7alignedE,@function
_ZN7cpython8__main__6assignB2v1B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqEqkpAMW0QQAExx5ArrayIxLi1E1C7mutable7alignedE5ArrayIfLi3E1C7mutable7alignedE5ArrayIfLi2E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedE5ArrayIiLi2E1C7mutable7alignedE5ArrayIfLi3E1C7mutable7alignedE5ArrayIfLi2E1C7mutable7alignedE:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	pushq	%r15
	.cfi_def_cfa_offset 24
	pushq	%r14
	.cfi_def_cfa_offset 32
	pushq	%r13
	.cfi_def_cfa_offset 40
	pushq	%r12
	.cfi_def_cfa_offset 48
	pushq	%rbx
	.cfi_def_cfa_offset 56
	subq	$904, %rsp
	.cfi_def_cfa_offset 960
	.cfi_offset %rbx, -56
	.cfi_offset %r12, -48
	.cfi_offset %r13, -40
	.cfi_offset %r14, -32
	.cfi_offset %r15, -24
	.cfi_offset %rbp, -16
	movq	%rsi, %rdi
	subq	$8, %rsp
	.cfi_adjust_cfa_offset 8
	leaq	272(%rsp), %r10
	xorl	%ebx, %ebx
	leaq	280(%rsp), %r11
	leaq	288(%rsp), %r14
	leaq	296(%rsp), %r15
	leaq	304(%rsp), %r12
	leaq	312(%rsp), %r13
	leaq	320(%rsp), %rbp
	movabsq	$.const.assign, %rsi
	leaq	336(%rsp), %r8
	leaq	328(%rsp), %r9
	movl	$9, %edx
	movl	$9, %ecx
	xorl	%eax, %eax
	pushq	%r10
	.cfi_adjust_cfa_offset 8
	pushq	%r11
	.cfi_adjust_cfa_offset 8
	pushq	%r14
	.cfi_adjust_cfa_offset 8
	pushq	%r15
	.cfi_adjust_cfa_offset 8
	pushq	%r12
	.cfi_adjust_cfa_offset 8
	pushq	%r13
	.cfi_adjust_cfa_offset 8
	pushq	%rbp
	.cfi_adjust_cfa_offset 8
	movabsq	$PyArg_UnpackTuple, %r10
	callq	*%r10
	addq	$64, %rsp
	.cfi_adjust_cfa_offset -64
	vxorps	%xmm1, %xmm1, %xmm1
	vxorps	%xmm0, %xmm0, %xmm0
	vmovups	%ymm0, 768(%rsp)
	vmovups	%zmm1, 576(%rsp)
	vmovups	%ymm0, 336(%rsp)
	vmovups	%zmm1, 480(%rsp)
	vmovups	%ymm0, 792(%rsp)
	vmovups	%zmm1, 600(%rsp)
	vmovups	%zmm1, 400(%rsp)
	movq	$0, 464(%rsp)
	vmovups	%ymm0, 360(%rsp)
	vmovups	%zmm1, 688(%rsp)
	movq	$0, 752(%rsp)
	vmovups	%zmm1, 504(%rsp)
	vmovups	%zmm1, 832(%rsp)
	movq	$0, 896(%rsp)
	movq	$0, 16(%rsp)
	testl	%eax, %eax
	je	.LBB1_23
	movabsq	$_ZN08NumbaEnv8__main__6assignB2v1B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqEqkpAMW0QQAExx5ArrayIxLi1E1C7mutable7alignedE5ArrayIfLi3E1C7mutable7alignedE5ArrayIfLi2E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedE5ArrayIiLi2E1C7mutable7alignedE5ArrayIfLi3E1C7mutable7alignedE5ArrayIfLi2E1C7mutable7alignedE, %rax
	cmpq	$0, (%rax)
	je	.LBB1_29
	movq	328(%rsp), %rdi
	movabsq	$PyNumber_Long, %r12
	vzeroupper
	callq	*%r12
	movabsq	$PyLong_AsLongLong, %r15
	movabsq	$Py_DecRef, %rbx
	testq	%rax, %rax
	je	.LBB1_31
	movq	%rax, %rdi
	movq	%rax, %r14
	callq	*%r15
	movq	%r14, %rdi
	movq	%rax, 8(%rsp)
	callq	*%rbx
	movabsq	$PyErr_Occurred, %r13
	callq	*%r13
	testq	%rax, %rax
	jne	.LBB1_32
.LBB1_4:
	movq	320(%rsp), %rdi
	callq	*%r12
	testq	%rax, %rax
	je	.LBB1_6
	movq	%rax, %rdi
	movq	%rax, %r14
	callq	*%r15
	movq	%r14, %rdi
	callq	*%rbx
.LBB1_6:
	callq	*%r13
	testq	%rax, %rax
	jne	.LBB1_32
	movq	312(%rsp), %rdi
	movabsq	$numba_adapt_ndarray, %rax
	leaq	768(%rsp), %rsi
	vxorps	%xmm0, %xmm0, %xmm0
	vmovups	%ymm0, 768(%rsp)
	vmovups	%ymm0, 792(%rsp)
	movq	%rax, %rbp
	vzeroupper
	callq	*%rax
	testl	%eax, %eax
	jne	.LBB1_24
	cmpq	$8, 792(%rsp)
	jne	.LBB1_24
	movq	304(%rsp), %rdi
	movq	800(%rsp), %r14
	leaq	576(%rsp), %rsi
	vxorps	%xmm0, %xmm0, %xmm0
	vmovups	%zmm0, 576(%rsp)
	vmovups	%zmm0, 600(%rsp)
	vzeroupper
	callq	*%rbp
	cmpq	$4, 600(%rsp)
	setne	%cl
	testl	%eax, %eax
	setne	%bl
	orb	%cl, %bl
	cmpb	$1, %bl
	je	.LBB1_34
	testb	%bl, %bl
	jne	.LBB1_32
.LBB1_11:
	movq	616(%rsp), %rax
	movq	624(%rsp), %rcx
	movq	632(%rsp), %rdx
	movq	296(%rsp), %rdi
	movq	576(%rsp), %r15
	movq	584(%rsp), %r12
	movq	608(%rsp), %r13
	leaq	400(%rsp), %rsi
	vxorps	%xmm0, %xmm0, %xmm0
	vmovups	%zmm0, 400(%rsp)
	movq	$0, 464(%rsp)
	movq	%rax, 256(%rsp)
	movq	%rcx, 248(%rsp)
	movq	648(%rsp), %rcx
	movq	656(%rsp), %rax
	movq	%rdx, 240(%rsp)
	movq	%rcx, 232(%rsp)
	movq	%rax, 224(%rsp)
	vzeroupper
	callq	*%rbp
	cmpq	$4, 424(%rsp)
	setne	%cl
	testl	%eax, %eax
	setne	%bl
	orb	%cl, %bl
	cmpb	$1, %bl
	je	.LBB1_36
	testb	%bl, %bl
	jne	.LBB1_32
.LBB1_13:
	movq	416(%rsp), %rcx
	movq	408(%rsp), %rax
	movq	432(%rsp), %rdx
	movq	288(%rsp), %rdi
	movq	400(%rsp), %rbx
	leaq	336(%rsp), %rsi
	vxorps	%xmm0, %xmm0, %xmm0
	vmovups	%ymm0, 336(%rsp)
	vmovups	%ymm0, 360(%rsp)
	movq	%rcx, 208(%rsp)
	movq	440(%rsp), %rcx
	movq	%rax, 216(%rsp)
	movq	%rdx, 200(%rsp)
	movq	448(%rsp), %rdx
	movq	464(%rsp), %rax
	movq	%rcx, 192(%rsp)
	movq	456(%rsp), %rcx
	movq	%rdx, 184(%rsp)
	movq	%rax, 168(%rsp)
	movq	%rcx, 176(%rsp)
	vzeroupper
	callq	*%rbp
	testl	%eax, %eax
	jne	.LBB1_24
	cmpq	$4, 360(%rsp)
	jne	.LBB1_24
	movq	336(%rsp), %rax
	movq	344(%rsp), %rdx
	movq	352(%rsp), %rcx
	movq	280(%rsp), %rdi
	leaq	688(%rsp), %rsi
	vxorps	%xmm0, %xmm0, %xmm0
	movq	%rbx, 160(%rsp)
	vmovups	%zmm0, 688(%rsp)
	movq	$0, 752(%rsp)
	movq	%rax, 152(%rsp)
	movq	%rdx, 144(%rsp)
	movq	%rcx, 136(%rsp)
	movq	368(%rsp), %rdx
	movq	376(%rsp), %rcx
	movq	384(%rsp), %rax
	movq	%rdx, 128(%rsp)
	movq	%rcx, 120(%rsp)
	movq	%rax, 112(%rsp)
	vzeroupper
	callq	*%rbp
	cmpq	$4, 712(%rsp)
	setne	%cl
	testl	%eax, %eax
	setne	%bl
	orb	%cl, %bl
	cmpb	$1, %bl
	je	.LBB1_38
	testb	%bl, %bl
	jne	.LBB1_32
.LBB1_17:
	movq	720(%rsp), %rax
	movq	728(%rsp), %rcx
	movq	272(%rsp), %rdi
	leaq	480(%rsp), %rsi
	vxorps	%xmm0, %xmm0, %xmm0
	vmovups	%zmm0, 480(%rsp)
	vmovups	%zmm0, 504(%rsp)
	movq	%rax, 104(%rsp)
	movq	736(%rsp), %rax
	movq	%rcx, 96(%rsp)
	movq	%rax, 88(%rsp)
	vzeroupper
	callq	*%rbp
	cmpq	$4, 504(%rsp)
	setne	%cl
	testl	%eax, %eax
	setne	%bl
	orb	%cl, %bl
	cmpb	$1, %bl
	je	.LBB1_40
	testb	%bl, %bl
	jne	.LBB1_32
.LBB1_19:
	movq	480(%rsp), %rax
	movq	488(%rsp), %rcx
	movq	264(%rsp), %rdi
	movq	%r13, 56(%rsp)
	movq	%r12, 64(%rsp)
	movq	%r15, 72(%rsp)
	movq	%r14, 80(%rsp)
	movq	520(%rsp), %rbx
	movq	528(%rsp), %r15
	movq	536(%rsp), %r14
	movq	552(%rsp), %r12
	movq	560(%rsp), %r13
	leaq	832(%rsp), %rsi
	vxorps	%xmm0, %xmm0, %xmm0
	vmovups	%zmm0, 832(%rsp)
	movq	$0, 896(%rsp)
	movq	%rax, 48(%rsp)
	movq	512(%rsp), %rax
	movq	%rcx, 40(%rsp)
	movq	%rax, 32(%rsp)
	vzeroupper
	callq	*%rbp
	testl	%eax, %eax
	jne	.LBB1_24
	cmpq	$4, 856(%rsp)
	jne	.LBB1_24
	vmovaps	864(%rsp), %xmm0
	movq	880(%rsp), %rbp
	movabsq	$PyEval_SaveThread, %rax
	vmovaps	%xmm0, 672(%rsp)
	callq	*%rax
	movq	%rax, 24(%rsp)
	subq	$496, %rsp
	.cfi_adjust_cfa_offset 496
	vmovaps	1168(%rsp), %xmm0
	movq	%rbp, 464(%rsp)
	leaq	1320(%rsp), %rdi
	vmovups	%xmm0, 448(%rsp)
	movq	%r13, 408(%rsp)
	movq	%r12, 400(%rsp)
	movq	%r14, 384(%rsp)
	movq	%r15, 376(%rsp)
	movq	%rbx, 368(%rsp)
	movq	$4, 352(%rsp)
	movq	$4, 224(%rsp)
	movq	$4, 152(%rsp)
	movq	$4, 64(%rsp)
	movq	544(%rsp), %rdx
	movq	536(%rsp), %rsi
	movq	528(%rsp), %rax
	movq	%rdx, 328(%rsp)
	movq	592(%rsp), %rdx
	movq	%rsi, 336(%rsp)
	movq	584(%rsp), %rsi
	movq	%rax, 360(%rsp)
	movabsq	$_ZN8__main__6assignB2v1B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqEqkpAMW0QQAExx5ArrayIxLi1E1C7mutable7alignedE5ArrayIfLi3E1C7mutable7alignedE5ArrayIfLi2E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedE5ArrayIiLi2E1C7mutable7alignedE5ArrayIfLi3E1C7mutable7alignedE5ArrayIfLi2E1C7mutable7alignedE, %rax
	movq	%rdx, 296(%rsp)
	movq	608(%rsp), %rdx
	movq	%rsi, 304(%rsp)
	movq	600(%rsp), %rsi
	movq	%rdx, 248(%rsp)
	movq	624(%rsp), %rdx
	movq	%rsi, 288(%rsp)
	movq	616(%rsp), %rsi
	movq	%rdx, 232(%rsp)
	movq	640(%rsp), %rdx
	movq	%rsi, 240(%rsp)
	movq	632(%rsp), %rsi
	movq	%rdx, 208(%rsp)
	movq	664(%rsp), %rdx
	movq	%rsi, 216(%rsp)
	movq	648(%rsp), %rsi
	movq	%rdx, 192(%rsp)
	movq	680(%rsp), %rdx
	movq	%rsi, 200(%rsp)
	movq	672(%rsp), %rsi
	movq	%rdx, 176(%rsp)
	movq	696(%rsp), %rdx
	movq	%rsi, 184(%rsp)
	movq	688(%rsp), %rsi
	movq	%rdx, 160(%rsp)
	movq	712(%rsp), %rdx
	movq	%rsi, 168(%rsp)
	movq	704(%rsp), %rsi
	movq	%rdx, 136(%rsp)
	movq	720(%rsp), %rdx
	movq	%rsi, 144(%rsp)
	movq	656(%rsp), %rsi
	movq	%rdx, 120(%rsp)
	movq	736(%rsp), %rdx
	movq	%rsi, 128(%rsp)
	movq	728(%rsp), %rsi
	movq	%rdx, 96(%rsp)
	movq	752(%rsp), %rdx
	movq	%rsi, 112(%rsp)
	movq	744(%rsp), %rsi
	movq	%rdx, 80(%rsp)
	movq	560(%rsp), %rdx
	movq	%rsi, 88(%rsp)
	movq	552(%rsp), %rsi
	movq	%rdx, 48(%rsp)
	movq	576(%rsp), %rdx
	movq	%rsi, 72(%rsp)
	movq	568(%rsp), %rsi
	movq	%rdx, 16(%rsp)
	movq	504(%rsp), %rdx
	movq	%rsi, 40(%rsp)
	leaq	512(%rsp), %rsi
	callq	*%rax
	addq	$496, %rsp
	.cfi_adjust_cfa_offset -496
	movq	24(%rsp), %rdi
	movq	16(%rsp), %r15
	movl	%eax, %ebx
	movabsq	$PyEval_RestoreThread, %rax
	callq	*%rax
	testl	%ebx, %ebx
	jne	.LBB1_25
	movabsq	$_Py_NoneStruct, %rbx
	movabsq	$Py_IncRef, %rax
	movq	%rbx, %rdi
	callq	*%rax
.LBB1_23:
	movq	%rbx, %rax
	addq	$904, %rsp
	.cfi_def_cfa_offset 56
	popq	%rbx
	.cfi_def_cfa_offset 48
	popq	%r12
	.cfi_def_cfa_offset 40
	popq	%r13
	.cfi_def_cfa_offset 32
	popq	%r14
	.cfi_def_cfa_offset 24
	popq	%r15
	.cfi_def_cfa_offset 16
	popq	%rbp
	.cfi_def_cfa_offset 8
	vzeroupper
	retq
.LBB1_24:
	.cfi_def_cfa_offset 960
	movabsq	$PyExc_TypeError, %rdi
	movabsq	$".const.can't unbox array from PyObject into native value.  The object maybe of a different type", %rsi
	jmp	.LBB1_30
.LBB1_25:
	jle	.LBB1_42
	movabsq	$PyErr_Clear, %rax
	callq	*%rax
	movl	8(%r15), %esi
	movq	(%r15), %rdi
	cmpl	$0, 32(%r15)
	jle	.LBB1_45
	movslq	%esi, %rsi
	movabsq	$PyBytes_FromStringAndSize, %rax
	callq	*%rax
	movq	16(%r15), %rdi
	movq	%rax, %rbx
	callq	*24(%r15)
	testq	%rax, %rax
	je	.LBB1_51
	movabsq	$numba_runtime_build_excinfo_struct, %rcx
	movq	%rbx, %rdi
	movq	%rax, %rsi
	callq	*%rcx
	jmp	.LBB1_46
.LBB1_29:
	movabsq	$PyExc_RuntimeError, %rdi
	movabsq	$".const.missing Environment: _ZN08NumbaEnv8__main__6assignB2v1B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqEqkpAMW0QQAExx5ArrayIxLi1E1C7mutable7alignedE5ArrayIfLi3E1C7mutable7alignedE5ArrayIfLi2E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedE5ArrayIiLi2E1C7mutable7alignedE5ArrayIfLi3E1C7mutable7alignedE5ArrayIfLi2E1C7mutable7alignedE", %rsi
.LBB1_30:
	movabsq	$PyErr_SetString, %rax
	vzeroupper
	callq	*%rax
	xorl	%ebx, %ebx
	jmp	.LBB1_23
.LBB1_31:
	movq	$0, 8(%rsp)
	movabsq	$PyErr_Occurred, %r13
	callq	*%r13
	testq	%rax, %rax
	je	.LBB1_4
	jmp	.LBB1_32
.LBB1_34:
	movabsq	$PyExc_TypeError, %rdi
	movabsq	$".const.can't unbox array from PyObject into native value.  The object maybe of a different type", %rsi
	movabsq	$PyErr_SetString, %rax
	callq	*%rax
	testb	%bl, %bl
	je	.LBB1_11
	jmp	.LBB1_32
.LBB1_36:
	movabsq	$PyExc_TypeError, %rdi
	movabsq	$".const.can't unbox array from PyObject into native value.  The object maybe of a different type", %rsi
	movabsq	$PyErr_SetString, %rax
	callq	*%rax
	testb	%bl, %bl
	je	.LBB1_13
	jmp	.LBB1_32
.LBB1_38:
	movabsq	$PyExc_TypeError, %rdi
	movabsq	$".const.can't unbox array from PyObject into native value.  The object maybe of a different type", %rsi
	movabsq	$PyErr_SetString, %rax
	callq	*%rax
	testb	%bl, %bl
	je	.LBB1_17
	jmp	.LBB1_32
.LBB1_40:
	movabsq	$PyExc_TypeError, %rdi
	movabsq	$".const.can't unbox array from PyObject into native value.  The object maybe of a different type", %rsi
	movabsq	$PyErr_SetString, %rax
	callq	*%rax
	testb	%bl, %bl
	je	.LBB1_19
	jmp	.LBB1_32
.LBB1_42:
	cmpl	$-3, %ebx
	je	.LBB1_48
	cmpl	$-1, %ebx
	jne	.LBB1_49
.LBB1_32:
	xorl	%ebx, %ebx
	jmp	.LBB1_23
.LBB1_45:
	movq	16(%r15), %rdx
	movabsq	$numba_unpickle, %rax
	callq	*%rax
.LBB1_46:
	testq	%rax, %rax
	je	.LBB1_32
	movabsq	$numba_do_raise, %rcx
	movq	%rax, %rdi
	callq	*%rcx
	xorl	%ebx, %ebx
	jmp	.LBB1_23
.LBB1_48:
	movabsq	$PyExc_StopIteration, %rdi
	movabsq	$PyErr_SetNone, %rax
	callq	*%rax
	xorl	%ebx, %ebx
	jmp	.LBB1_23
.LBB1_49:
	movabsq	$PyExc_SystemError, %rdi
	movabsq	$".const.unknown error when calling native function", %rsi
	jmp	.LBB1_30
.LBB1_51:
	movabsq	$PyExc_RuntimeError, %rdi
	movabsq	$".const.Error creating Python tuple from runtime exception arguments", %rsi
	jmp	.LBB1_30
.Lfunc_end1:
	.size	_ZN7cpython8__main__6assignB2v1B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqEqkpAMW0QQAExx5ArrayIxLi1E1C7mutable7alignedE5ArrayIfLi3E1C7mutable7alignedE5ArrayIfLi2E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedE5ArrayIiLi2E1C7mutable7alignedE5ArrayIfLi3E1C7mutable7alignedE5ArrayIfLi2E1C7mutable7alignedE, .Lfunc_end1-_ZN7cpython8__main__6assignB2v1B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqEqkpAMW0QQAExx5ArrayIxLi1E1C7mutable7alignedE5ArrayIfLi3E1C7mutable7alignedE5ArrayIfLi2E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedE5ArrayIiLi2E1C7mutable7alignedE5ArrayIfLi3E1C7mutable7alignedE5ArrayIfLi2E1C7mutable7alignedE
	.cfi_endproc

	.weak	_ZN8__main__4fourB2v5B66c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2IZKIKUpsIgmAA_3d_3dE5ArrayIfLi2E1C7mutable7alignedE5ArrayIfLi2E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedEx5ArrayIfLi2E1C7mutable7alignedE
	.p2align	4
	.type	_ZN8__main__4fourB2v5B66c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2IZKIKUpsIgmAA_3d_3dE5ArrayIfLi2E1C7mutable7alignedE5ArrayIfLi2E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedEx5ArrayIfLi2E1C7mutable7alignedE,@function
_ZN8__main__4fourB2v5B66c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2IZKIKUpsIgmAA_3d_3dE5ArrayIfLi2E1C7mutable7alignedE5ArrayIfLi2E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedEx5ArrayIfLi2E1C7mutable7alignedE:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	pushq	%r15
	.cfi_def_cfa_offset 24
	pushq	%r14
	.cfi_def_cfa_offset 32
	pushq	%r13
	.cfi_def_cfa_offset 40
	pushq	%r12
	.cfi_def_cfa_offset 48
	pushq	%rbx
	.cfi_def_cfa_offset 56
	subq	$120, %rsp
	.cfi_def_cfa_offset 176
	.cfi_offset %rbx, -56
	.cfi_offset %r12, -48
	.cfi_offset %r13, -40
	.cfi_offset %r14, -32
	.cfi_offset %r15, -24
	.cfi_offset %rbp, -16
	movq	344(%rsp), %rbx
	movq	400(%rsp), %rax
	movq	328(%rsp), %rsi
	movq	%rdi, 48(%rsp)
	movq	384(%rsp), %rcx
	xorl	%r8d, %r8d
	movl	$0, %r9d
	movl	$0, %r10d
	movl	$7, %r15d
	movq	%rbx, %rdx
	sarq	$63, %rdx
	leaq	(,%rbx,4), %rdi
	leaq	(,%rax,4), %r11
	addq	320(%rsp), %rdi
	leaq	28(,%rax,8), %r14
	movq	%rdx, (%rsp)
	andq	%rsi, %rdx
	cmpq	$-1, %rbx
	cmovlq	%rsi, %r9
	cmpq	$-2, %rbx
	cmovlq	%rsi, %r10
	cmpq	$-3, %rbx
	leaq	(%r11,%r11,2), %rbx
	leaq	28(%r11,%r11,2), %r11
	cmovlq	%rsi, %r8
	movq	%rbx, -56(%rsp)
	leaq	7(%rax), %rbx
	.p2align	4
.LBB2_1:
	vmovss	(%rdi,%rdx,4), %xmm0
	vmovss	%xmm0, -28(%rcx,%r15,4)
	vmovss	4(%rdi,%r9,4), %xmm0
	vmovss	%xmm0, -28(%rcx,%rbx,4)
	vmovss	8(%rdi,%r10,4), %xmm0
	vmovss	%xmm0, -28(%rcx,%r14)
	vmovss	12(%rdi,%r8,4), %xmm0
	vmovss	%xmm0, -28(%rcx,%r11)
	vmovss	(%rdi,%rdx,4), %xmm0
	vmovss	%xmm0, -24(%rcx,%r15,4)
	vmovss	4(%rdi,%r9,4), %xmm0
	vmovss	%xmm0, -24(%rcx,%rbx,4)
	vmovss	8(%rdi,%r10,4), %xmm0
	vmovss	%xmm0, -24(%rcx,%r14)
	vmovss	12(%rdi,%r8,4), %xmm0
	vmovss	%xmm0, -24(%rcx,%r11)
	vmovss	(%rdi,%rdx,4), %xmm0
	vmovss	%xmm0, -20(%rcx,%r15,4)
	vmovss	4(%rdi,%r9,4), %xmm0
	vmovss	%xmm0, -20(%rcx,%rbx,4)
	vmovss	8(%rdi,%r10,4), %xmm0
	vmovss	%xmm0, -20(%rcx,%r14)
	vmovss	12(%rdi,%r8,4), %xmm0
	vmovss	%xmm0, -20(%rcx,%r11)
	vmovss	(%rdi,%rdx,4), %xmm0
	vmovss	%xmm0, -16(%rcx,%r15,4)
	vmovss	4(%rdi,%r9,4), %xmm0
	vmovss	%xmm0, -16(%rcx,%rbx,4)
	vmovss	8(%rdi,%r10,4), %xmm0
	vmovss	%xmm0, -16(%rcx,%r14)
	vmovss	12(%rdi,%r8,4), %xmm0
	vmovss	%xmm0, -16(%rcx,%r11)
	vmovss	(%rdi,%rdx,4), %xmm0
	vmovss	%xmm0, -12(%rcx,%r15,4)
	vmovss	4(%rdi,%r9,4), %xmm0
	vmovss	%xmm0, -12(%rcx,%rbx,4)
	vmovss	8(%rdi,%r10,4), %xmm0
	vmovss	%xmm0, -12(%rcx,%r14)
	vmovss	12(%rdi,%r8,4), %xmm0
	vmovss	%xmm0, -12(%rcx,%r11)
	vmovss	(%rdi,%rdx,4), %xmm0
	vmovss	%xmm0, -8(%rcx,%r15,4)
	vmovss	4(%rdi,%r9,4), %xmm0
	vmovss	%xmm0, -8(%rcx,%rbx,4)
	vmovss	8(%rdi,%r10,4), %xmm0
	vmovss	%xmm0, -8(%rcx,%r14)
	vmovss	12(%rdi,%r8,4), %xmm0
	vmovss	%xmm0, -8(%rcx,%r11)
	vmovss	(%rdi,%rdx,4), %xmm0
	vmovss	%xmm0, -4(%rcx,%r15,4)
	vmovss	4(%rdi,%r9,4), %xmm0
	vmovss	%xmm0, -4(%rcx,%rbx,4)
	vmovss	8(%rdi,%r10,4), %xmm0
	vmovss	%xmm0, -4(%rcx,%r14)
	vmovss	12(%rdi,%r8,4), %xmm0
	vmovss	%xmm0, -4(%rcx,%r11)
	vmovss	(%rdi,%rdx,4), %xmm0
	vmovss	%xmm0, (%rcx,%r15,4)
	addq	$8, %r15
	vmovss	4(%rdi,%r9,4), %xmm0
	vmovss	%xmm0, (%rcx,%rbx,4)
	addq	$8, %rbx
	vmovss	8(%rdi,%r10,4), %xmm0
	vmovss	%xmm0, (%rcx,%r14)
	addq	$32, %r14
	vmovss	12(%rdi,%r8,4), %xmm0
	vmovss	%xmm0, (%rcx,%r11)
	addq	$32, %r11
	cmpq	$71, %r15
	jne	.LBB2_1
	movq	184(%rsp), %rdx
	movl	$3, %r10d
	movl	%edx, %edi
	andl	$3, %edi
	cmpq	$4, %rdx
	cmovgeq	%rdx, %r10
	movq	%rdi, 40(%rsp)
	shrq	$2, %r10
	je	.LBB2_9
	movq	(%rsp), %r11
	movq	256(%rsp), %r9
	movq	344(%rsp), %r8
	movq	264(%rsp), %rdi
	xorl	%ebx, %ebx
	movl	$0, %edx
	leaq	256(%rcx,%rax,4), %r12
	movq	%r10, -104(%rsp)
	leaq	256(%rcx), %r14
	andq	%r9, %r11
	addq	%r8, %r11
	imulq	%rdi, %r11
	cmpq	$-1, %r8
	cmovlq	%r9, %rdx
	leaq	1(%r8,%rdx), %rdx
	movq	%r11, -24(%rsp)
	leaq	-1(%r10), %r11
	imulq	%rdi, %rdx
	cmpq	$-2, %r8
	movq	%rdx, -32(%rsp)
	movl	$0, %edx
	cmovlq	%r9, %rdx
	leaq	2(%r8,%rdx), %rdx
	imulq	%rdi, %rdx
	cmpq	$-3, %r8
	movq	%rdx, -40(%rsp)
	movl	$0, %edx
	cmovlq	%r9, %rdx
	leaq	3(%r8,%rdx), %rdx
	movq	%r10, %r8
	shlq	$4, %r8
	leaq	-8(%r8), %rsi
	leaq	-12(%r8), %r10
	addq	$-4, %r8
	imulq	%rdi, %rdx
	leaq	(%rcx,%rax,4), %rdi
	movq	%rdi, -8(%rsp)
	movq	%rdx, 32(%rsp)
	leaq	(,%rax,8), %rdx
	leaq	256(%rcx,%rdx), %r9
	movq	192(%rsp), %rdx
	imulq	%rdx, %r11
	imulq	%rdx, %rsi
	movq	%rdx, %rbp
	shlq	$4, %rbp
	imulq	%rdx, %r10
	imulq	%rdx, %r8
	movq	%rbp, -64(%rsp)
	shlq	$4, %r11
	cmpq	%r12, %rcx
	movq	%rsi, -120(%rsp)
	movq	%r14, %rsi
	setb	%dl
	cmpq	%r14, %rdi
	leaq	(%rcx,%rax,8), %rdi
	setb	%r14b
	andb	%dl, %r14b
	cmpq	%r9, %rcx
	movq	%rdi, -48(%rsp)
	setb	%dl
	cmpq	%rsi, %rdi
	movq	-56(%rsp), %rsi
	setb	%r15b
	andb	%dl, %r15b
	orb	%r14b, %r15b
	movq	176(%rsp), %r14
	leaq	256(%rcx,%rsi), %r13
	leaq	(%rcx,%rsi), %rdi
	leaq	256(%rcx), %rsi
	movq	%rdi, -16(%rsp)
	cmpq	%r13, %rcx
	setb	%dl
	cmpq	%rsi, %rdi
	setb	%dil
	andb	%dl, %dil
	leaq	256(%r14,%r11), %rdx
	orb	%r15b, %dil
	movq	%rsi, %r15
	cmpq	%rdx, %rcx
	movq	%rdx, -80(%rsp)
	setb	%r11b
	cmpq	%rsi, %r14
	leaq	256(%r14,%r10), %rsi
	setb	%dl
	andb	%r11b, %dl
	testq	%rbp, %rbp
	movq	192(%rsp), %rbp
	movq	%rsi, 16(%rsp)
	sets	%r10b
	orb	%r10b, %dl
	cmpq	%rsi, %rcx
	movb	%r10b, -96(%rsp)
	setb	%r11b
	leaq	(%r14,%rbp,4), %rsi
	cmpq	%r15, %rsi
	movq	%rsi, 8(%rsp)
	movq	-16(%rsp), %rsi
	setb	%r10b
	andb	%r11b, %r10b
	leaq	(,%rbp,4), %r11
	orb	%dil, %r10b
	leaq	(%r14,%rbp,8), %rdi
	movq	%r14, %rbp
	orb	%dl, %r10b
	movq	-120(%rsp), %rdx
	leaq	(%r11,%r11,2), %r11
	movq	%rdi, -120(%rsp)
	movq	%r11, 24(%rsp)
	leaq	256(%r14,%rdx), %rdx
	cmpq	%rdx, %rcx
	movq	%rdx, -72(%rsp)
	setb	%dl
	cmpq	%r15, %rdi
	setb	%dil
	andb	%dl, %dil
	leaq	256(%r14,%r8), %rdx
	leaq	(%r14,%r11), %r8
	movq	-80(%rsp), %r14
	movq	%r8, -112(%rsp)
	cmpq	%rdx, %rcx
	movq	%rdx, -88(%rsp)
	setb	%dl
	cmpq	%r15, %r8
	movq	-8(%rsp), %r8
	movq	16(%rsp), %r15
	setb	%r11b
	andb	%dl, %r11b
	orb	%dil, %r11b
	cmpq	%r9, %r8
	setb	%dl
	cmpq	%r12, -48(%rsp)
	setb	%dil
	andb	%dl, %dil
	orb	%r11b, %dil
	orb	%r10b, %dil
	cmpq	%r13, %r8
	setb	%dl
	cmpq	%r12, %rsi
	setb	%r10b
	andb	%dl, %r10b
	cmpq	%r14, %r8
	setb	%dl
	cmpq	%r12, %rbp
	movq	8(%rsp), %rbp
	setb	%r11b
	andb	%dl, %r11b
	orb	%r10b, %r11b
	cmpq	%r15, %r8
	setb	%dl
	cmpq	%r12, %rbp
	setb	%r10b
	andb	%dl, %r10b
	orb	%r11b, %r10b
	cmpq	-72(%rsp), %r8
	setb	%r11b
	cmpq	%r12, -120(%rsp)
	setb	%dl
	andb	%r11b, %dl
	orb	-96(%rsp), %dl
	orb	%r10b, %dl
	orb	%dil, %dl
	cmpq	-88(%rsp), %r8
	movq	-48(%rsp), %r8
	setb	%dil
	cmpq	%r12, -112(%rsp)
	setb	%r10b
	andb	%dil, %r10b
	cmpq	%r13, %r8
	setb	%dil
	cmpq	%r9, %rsi
	movq	%r8, %rsi
	setb	%r11b
	andb	%dil, %r11b
	orb	%r10b, %r11b
	cmpq	%r14, %r8
	movq	176(%rsp), %r14
	setb	%dil
	cmpq	%r9, %r14
	movq	-72(%rsp), %r14
	setb	%r10b
	andb	%dil, %r10b
	orb	%r11b, %r10b
	cmpq	%r15, %r8
	setb	%dil
	cmpq	%r9, %rbp
	setb	%r11b
	andb	%dil, %r11b
	orb	%r10b, %r11b
	cmpq	%r14, %r8
	movq	-88(%rsp), %r8
	setb	%r10b
	cmpq	%r9, -120(%rsp)
	setb	%dil
	andb	%r10b, %dil
	orb	%r11b, %dil
	orb	%dl, %dil
	cmpq	%r8, %rsi
	setb	%dl
	cmpq	%r9, -112(%rsp)
	setb	%r10b
	andb	%dl, %r10b
	movq	-16(%rsp), %rdx
	cmpq	-80(%rsp), %rdx
	setb	%sil
	cmpq	%r13, 176(%rsp)
	setb	%r11b
	andb	%sil, %r11b
	orb	%r10b, %r11b
	cmpq	%r15, %rdx
	movq	%rdx, %r10
	movq	248(%rsp), %r15
	setb	%dl
	cmpq	%r13, %rbp
	setb	%bpl
	andb	%dl, %bpl
	orb	-96(%rsp), %bpl
	movq	-24(%rsp), %rdx
	orb	%r11b, %bpl
	movq	-32(%rsp), %r11
	leaq	(%r15,%rdx,4), %rdx
	cmpq	%r14, %r10
	movq	%r10, %r14
	movq	%rdx, -96(%rsp)
	setb	%dl
	cmpq	%r13, -120(%rsp)
	leaq	(%r15,%r11,4), %r11
	movq	%r11, -72(%rsp)
	movq	-40(%rsp), %r11
	leaq	(%r15,%r11,4), %r11
	movq	%r11, -80(%rsp)
	setb	%r11b
	andb	%dl, %r11b
	movq	32(%rsp), %rdx
	orb	%bpl, %r11b
	cmpq	%r8, %r14
	movq	-104(%rsp), %rbp
	setb	%sil
	cmpq	%r13, -112(%rsp)
	leaq	(%r15,%rdx,4), %r10
	movq	192(%rsp), %rdx
	setb	%r8b
	movq	%r10, -40(%rsp)
	andb	%sil, %r8b
	movq	176(%rsp), %rsi
	orb	%r11b, %r8b
	orb	%dil, %r8b
	movb	%r8b, -88(%rsp)
	leaq	4(%rsi,%rdx,4), %r15
	leaq	4(%rsi,%rdx,8), %r8
	movq	24(%rsp), %rdx
	leaq	4(%rsi), %r14
	leaq	4(%rsi,%rdx), %rdi
	jmp	.LBB2_4
	.p2align	4
.LBB2_7:
	movq	%rbx, %rsi
	orq	$3, %rsi
	movq	%rbx, %rdx
	movq	%rbx, %r10
	movq	%rbp, -104(%rsp)
	movq	%rbx, %rbp
	movq	192(%rsp), %r11
	movq	%rbx, -24(%rsp)
	orq	$1, %rdx
	orq	$2, %r10
	vmovups	(%rcx), %zmm20
	vbroadcastss	%xmm12, %zmm12
	vbroadcastss	%xmm13, %zmm13
	vbroadcastss	%xmm15, %zmm15
	vbroadcastss	%xmm14, %zmm14
	vbroadcastss	%xmm11, %zmm11
	vbroadcastss	%xmm10, %zmm10
	vbroadcastss	%xmm9, %zmm9
	vbroadcastss	%xmm8, %zmm8
	vbroadcastss	%xmm7, %zmm7
	vbroadcastss	%xmm6, %zmm6
	vbroadcastss	%xmm5, %zmm5
	vbroadcastss	%xmm4, %zmm4
	vbroadcastss	%xmm3, %zmm3
	vbroadcastss	%xmm2, %zmm2
	vbroadcastss	%xmm1, %zmm1
	vbroadcastss	%xmm0, %zmm0
	movq	%rsi, -32(%rsp)
	movq	-32(%rsp), %rbx
	imulq	%r11, %rdx
	imulq	%r11, %rbp
	imulq	%r11, %r10
	imulq	%r11, %rbx
	movq	176(%rsp), %r11
	movq	%rdx, %rsi
	movq	%rbp, -120(%rsp)
	movq	%rdx, -112(%rsp)
	movq	-56(%rsp), %rdx
	vmovups	(%r11,%rbp,4), %zmm16
	vmovups	(%r11,%rsi,4), %zmm17
	vmovups	(%r11,%r10,4), %zmm18
	vmovups	(%r11,%rbx,4), %zmm19
	movq	%r11, %rbp
	leaq	(%rcx,%rax,4), %r11
	movq	%rbx, %rsi
	movq	-24(%rsp), %rbx
	leaq	(%rcx,%rdx), %rdx
	vmulps	%zmm16, %zmm12, %zmm21
	vmulps	%zmm17, %zmm13, %zmm23
	vmulps	%zmm18, %zmm15, %zmm22
	vsubps	%zmm21, %zmm20, %zmm20
	vmulps	%zmm16, %zmm11, %zmm21
	vsubps	%zmm23, %zmm20, %zmm20
	vmulps	%zmm19, %zmm14, %zmm23
	vsubps	%zmm22, %zmm20, %zmm20
	vmulps	%zmm17, %zmm10, %zmm22
	vsubps	%zmm23, %zmm20, %zmm20
	vmulps	%zmm18, %zmm9, %zmm23
	vmovups	%zmm20, (%rcx)
	vmovups	(%r11), %zmm20
	vsubps	%zmm21, %zmm20, %zmm20
	vmulps	%zmm16, %zmm7, %zmm21
	vmulps	%zmm16, %zmm3, %zmm16
	vsubps	%zmm22, %zmm20, %zmm20
	vmulps	%zmm19, %zmm8, %zmm22
	vsubps	%zmm23, %zmm20, %zmm20
	vmulps	%zmm17, %zmm6, %zmm23
	vmulps	%zmm17, %zmm2, %zmm17
	vsubps	%zmm22, %zmm20, %zmm20
	vmulps	%zmm18, %zmm5, %zmm22
	vmovups	%zmm20, (%r11)
	leaq	(%rcx,%rax,8), %r11
	vmovups	(%r11), %zmm20
	vsubps	%zmm21, %zmm20, %zmm20
	vsubps	%zmm23, %zmm20, %zmm20
	vmulps	%zmm19, %zmm4, %zmm23
	vsubps	%zmm22, %zmm20, %zmm20
	vsubps	%zmm23, %zmm20, %zmm20
	vmovups	%zmm20, (%r11)
	movq	-8(%rsp), %r11
	vmovups	(%rdx), %zmm20
	vsubps	%zmm16, %zmm20, %zmm16
	vmulps	%zmm18, %zmm1, %zmm20
	vmulps	%zmm19, %zmm0, %zmm18
	vsubps	%zmm17, %zmm16, %zmm16
	vsubps	%zmm20, %zmm16, %zmm16
	vsubps	%zmm18, %zmm16, %zmm16
	vmovups	%zmm16, (%rdx)
	movq	-120(%rsp), %rdx
	vmovups	64(%rcx), %zmm20
	vmovups	64(%rbp,%r10,4), %zmm18
	vmovups	64(%rbp,%rsi,4), %zmm19
	vmovups	64(%rbp,%rdx,4), %zmm16
	movq	-112(%rsp), %rdx
	vmulps	%zmm18, %zmm15, %zmm22
	vmulps	%zmm19, %zmm14, %zmm23
	vmovups	64(%rbp,%rdx,4), %zmm17
	vmulps	%zmm16, %zmm12, %zmm21
	vsubps	%zmm21, %zmm20, %zmm20
	vmulps	%zmm17, %zmm13, %zmm21
	vsubps	%zmm21, %zmm20, %zmm20
	vmulps	%zmm16, %zmm11, %zmm21
	vsubps	%zmm22, %zmm20, %zmm20
	vmulps	%zmm17, %zmm10, %zmm22
	vsubps	%zmm23, %zmm20, %zmm20
	vmulps	%zmm18, %zmm9, %zmm23
	vmovups	%zmm20, 64(%rcx)
	vmovups	64(%r11), %zmm20
	vsubps	%zmm21, %zmm20, %zmm20
	vmulps	%zmm16, %zmm7, %zmm21
	vmulps	%zmm16, %zmm3, %zmm16
	vsubps	%zmm22, %zmm20, %zmm20
	vmulps	%zmm19, %zmm8, %zmm22
	vsubps	%zmm23, %zmm20, %zmm20
	vmulps	%zmm17, %zmm6, %zmm23
	vmulps	%zmm17, %zmm2, %zmm17
	vsubps	%zmm22, %zmm20, %zmm20
	vmulps	%zmm18, %zmm5, %zmm22
	vmovups	%zmm20, 64(%r11)
	movq	-48(%rsp), %r11
	vmovups	64(%r11), %zmm20
	vsubps	%zmm21, %zmm20, %zmm20
	vsubps	%zmm23, %zmm20, %zmm20
	vmulps	%zmm19, %zmm4, %zmm23
	vsubps	%zmm22, %zmm20, %zmm20
	vsubps	%zmm23, %zmm20, %zmm20
	vmovups	%zmm20, 64(%r11)
	movq	-16(%rsp), %r11
	vmovups	64(%r11), %zmm20
	vsubps	%zmm16, %zmm20, %zmm16
	vmulps	%zmm18, %zmm1, %zmm20
	vmulps	%zmm19, %zmm0, %zmm18
	vsubps	%zmm17, %zmm16, %zmm16
	vsubps	%zmm20, %zmm16, %zmm16
	vsubps	%zmm18, %zmm16, %zmm16
	vmovups	%zmm16, 64(%r11)
	movq	-120(%rsp), %r11
	vmovups	128(%rbp,%rdx,4), %zmm17
	vmovups	128(%rcx), %zmm20
	vmovups	128(%rbp,%r10,4), %zmm18
	vmovups	128(%rbp,%rsi,4), %zmm19
	movq	-8(%rsp), %rdx
	vmovups	128(%rbp,%r11,4), %zmm16
	movq	%rsi, %r11
	movq	-48(%rsp), %rsi
	vmulps	%zmm17, %zmm13, %zmm22
	vmulps	%zmm18, %zmm15, %zmm23
	vmulps	%zmm16, %zmm12, %zmm21
	vsubps	%zmm21, %zmm20, %zmm20
	vmulps	%zmm16, %zmm11, %zmm21
	vsubps	%zmm22, %zmm20, %zmm20
	vmulps	%zmm19, %zmm14, %zmm22
	vsubps	%zmm23, %zmm20, %zmm20
	vmulps	%zmm17, %zmm10, %zmm23
	vsubps	%zmm22, %zmm20, %zmm20
	vmulps	%zmm18, %zmm9, %zmm22
	vmovups	%zmm20, 128(%rcx)
	vmovups	128(%rdx), %zmm20
	vsubps	%zmm21, %zmm20, %zmm20
	vmulps	%zmm16, %zmm7, %zmm21
	vmulps	%zmm16, %zmm3, %zmm16
	vsubps	%zmm23, %zmm20, %zmm20
	vmulps	%zmm19, %zmm8, %zmm23
	vsubps	%zmm22, %zmm20, %zmm20
	vmulps	%zmm17, %zmm6, %zmm22
	vmulps	%zmm17, %zmm2, %zmm17
	vsubps	%zmm23, %zmm20, %zmm20
	vmulps	%zmm18, %zmm5, %zmm23
	vmovups	%zmm20, 128(%rdx)
	movq	-120(%rsp), %rdx
	vmovups	128(%rsi), %zmm20
	vsubps	%zmm21, %zmm20, %zmm20
	vsubps	%zmm22, %zmm20, %zmm20
	vmulps	%zmm19, %zmm4, %zmm22
	vsubps	%zmm23, %zmm20, %zmm20
	vsubps	%zmm22, %zmm20, %zmm20
	vmovups	%zmm20, 128(%rsi)
	movq	-16(%rsp), %rsi
	vmovups	128(%rsi), %zmm20
	vsubps	%zmm16, %zmm20, %zmm16
	vmulps	%zmm18, %zmm1, %zmm20
	vmulps	%zmm19, %zmm0, %zmm18
	vsubps	%zmm17, %zmm16, %zmm16
	vsubps	%zmm20, %zmm16, %zmm16
	vsubps	%zmm18, %zmm16, %zmm16
	vmovups	%zmm16, 128(%rsi)
	vmovups	192(%rbp,%rdx,4), %zmm16
	movq	-112(%rsp), %rdx
	vmovups	192(%rcx), %zmm20
	vmovups	192(%rbp,%r10,4), %zmm18
	vmovups	192(%rbp,%r11,4), %zmm19
	movq	-48(%rsp), %r11
	movq	-40(%rsp), %r10
	vmovups	192(%rbp,%rdx,4), %zmm17
	movq	-8(%rsp), %rdx
	movq	-104(%rsp), %rbp
	vmulps	%zmm16, %zmm12, %zmm12
	vmulps	%zmm18, %zmm15, %zmm15
	vmulps	%zmm19, %zmm14, %zmm14
	vmulps	%zmm16, %zmm11, %zmm11
	vmulps	%zmm18, %zmm9, %zmm9
	vmulps	%zmm19, %zmm8, %zmm8
	vmulps	%zmm16, %zmm7, %zmm7
	vmulps	%zmm18, %zmm5, %zmm5
	vmulps	%zmm19, %zmm4, %zmm4
	vmulps	%zmm16, %zmm3, %zmm3
	vmulps	%zmm18, %zmm1, %zmm1
	vmulps	%zmm19, %zmm0, %zmm0
	vsubps	%zmm12, %zmm20, %zmm12
	vmulps	%zmm17, %zmm13, %zmm13
	vmulps	%zmm17, %zmm10, %zmm10
	vmulps	%zmm17, %zmm6, %zmm6
	vmulps	%zmm17, %zmm2, %zmm2
	vsubps	%zmm13, %zmm12, %zmm12
	vsubps	%zmm15, %zmm12, %zmm12
	vsubps	%zmm14, %zmm12, %zmm12
	vmovups	%zmm12, 192(%rcx)
	vmovups	192(%rdx), %zmm12
	vsubps	%zmm11, %zmm12, %zmm11
	vsubps	%zmm10, %zmm11, %zmm10
	vsubps	%zmm9, %zmm10, %zmm9
	vsubps	%zmm8, %zmm9, %zmm8
	vmovups	%zmm8, 192(%rdx)
	vmovups	192(%r11), %zmm8
	vsubps	%zmm7, %zmm8, %zmm7
	vsubps	%zmm6, %zmm7, %zmm6
	vsubps	%zmm5, %zmm6, %zmm5
	vsubps	%zmm4, %zmm5, %zmm4
	vmovups	%zmm4, 192(%r11)
	vmovups	192(%rsi), %zmm4
	vsubps	%zmm3, %zmm4, %zmm3
	vsubps	%zmm2, %zmm3, %zmm2
	vsubps	%zmm1, %zmm2, %zmm1
	vsubps	%zmm0, %zmm1, %zmm0
	vmovups	%zmm0, 192(%rsi)
.LBB2_8:
	movq	-64(%rsp), %rdx
	addq	$4, %rbx
	addq	%rdx, %r14
	addq	%rdx, %r15
	addq	%rdx, %r8
	addq	%rdx, %rdi
	decq	%rbp
	jle	.LBB2_9
.LBB2_4:
	movq	-96(%rsp), %rdx
	movq	-72(%rsp), %r11
	movq	-80(%rsp), %rsi
	vmovss	(%r10,%rbx,4), %xmm3
	vmovss	4(%r10,%rbx,4), %xmm2
	vmovss	8(%r10,%rbx,4), %xmm1
	vmovss	12(%r10,%rbx,4), %xmm0
	testb	$1, -88(%rsp)
	vmovss	(%rdx,%rbx,4), %xmm12
	vmovss	4(%rdx,%rbx,4), %xmm13
	vmovss	8(%rdx,%rbx,4), %xmm15
	vmovss	12(%rdx,%rbx,4), %xmm14
	vmovss	(%r11,%rbx,4), %xmm11
	vmovss	4(%r11,%rbx,4), %xmm10
	vmovss	8(%r11,%rbx,4), %xmm9
	vmovss	12(%r11,%rbx,4), %xmm8
	vmovss	(%rsi,%rbx,4), %xmm7
	vmovss	4(%rsi,%rbx,4), %xmm6
	vmovss	8(%rsi,%rbx,4), %xmm5
	vmovss	12(%rsi,%rbx,4), %xmm4
	je	.LBB2_7
	xorl	%edx, %edx
	.p2align	4
.LBB2_6:
	vmovss	-4(%r14,%rdx), %xmm16
	vmovss	-4(%r15,%rdx), %xmm17
	vmovss	(%rcx,%rdx), %xmm20
	vmovss	-4(%r8,%rdx), %xmm18
	vmovss	-4(%rdi,%rdx), %xmm19
	vmulss	%xmm16, %xmm12, %xmm21
	vsubss	%xmm21, %xmm20, %xmm20
	vmulss	%xmm17, %xmm13, %xmm21
	vsubss	%xmm21, %xmm20, %xmm20
	vmulss	%xmm18, %xmm15, %xmm21
	vsubss	%xmm21, %xmm20, %xmm20
	vmulss	%xmm19, %xmm14, %xmm21
	vsubss	%xmm21, %xmm20, %xmm20
	vmulss	%xmm16, %xmm11, %xmm21
	vmovss	%xmm20, (%rcx,%rdx)
	vmovss	-256(%r12,%rdx), %xmm20
	vsubss	%xmm21, %xmm20, %xmm20
	vmulss	%xmm17, %xmm10, %xmm21
	vsubss	%xmm21, %xmm20, %xmm20
	vmulss	%xmm18, %xmm9, %xmm21
	vsubss	%xmm21, %xmm20, %xmm20
	vmulss	%xmm19, %xmm8, %xmm21
	vsubss	%xmm21, %xmm20, %xmm20
	vmulss	%xmm16, %xmm7, %xmm21
	vmulss	%xmm16, %xmm3, %xmm16
	vmovss	%xmm20, -256(%r12,%rdx)
	vmovss	-256(%r9,%rdx), %xmm20
	vsubss	%xmm21, %xmm20, %xmm20
	vmulss	%xmm17, %xmm6, %xmm21
	vmulss	%xmm17, %xmm2, %xmm17
	vsubss	%xmm21, %xmm20, %xmm20
	vmulss	%xmm18, %xmm5, %xmm21
	vsubss	%xmm21, %xmm20, %xmm20
	vmulss	%xmm19, %xmm4, %xmm21
	vsubss	%xmm21, %xmm20, %xmm20
	vmovss	%xmm20, -256(%r9,%rdx)
	vmovss	-256(%r13,%rdx), %xmm20
	vsubss	%xmm16, %xmm20, %xmm16
	vsubss	%xmm17, %xmm16, %xmm16
	vmulss	%xmm18, %xmm1, %xmm17
	vsubss	%xmm17, %xmm16, %xmm16
	vmulss	%xmm19, %xmm0, %xmm17
	vsubss	%xmm17, %xmm16, %xmm16
	vmovss	%xmm16, -256(%r13,%rdx)
	vmovss	(%r14,%rdx), %xmm16
	vmovss	(%r15,%rdx), %xmm17
	vmovss	4(%rcx,%rdx), %xmm20
	vmovss	(%r8,%rdx), %xmm18
	vmovss	(%rdi,%rdx), %xmm19
	vmulss	%xmm16, %xmm12, %xmm21
	vmulss	%xmm17, %xmm6, %xmm22
	vmulss	%xmm18, %xmm5, %xmm23
	vsubss	%xmm21, %xmm20, %xmm20
	vmulss	%xmm17, %xmm13, %xmm21
	vsubss	%xmm21, %xmm20, %xmm20
	vmulss	%xmm18, %xmm15, %xmm21
	vsubss	%xmm21, %xmm20, %xmm20
	vmulss	%xmm19, %xmm14, %xmm21
	vsubss	%xmm21, %xmm20, %xmm20
	vmulss	%xmm16, %xmm11, %xmm21
	vmovss	%xmm20, 4(%rcx,%rdx)
	vmovss	-252(%r12,%rdx), %xmm20
	vsubss	%xmm21, %xmm20, %xmm20
	vmulss	%xmm17, %xmm10, %xmm21
	vmulss	%xmm17, %xmm2, %xmm17
	vsubss	%xmm21, %xmm20, %xmm20
	vmulss	%xmm18, %xmm9, %xmm21
	vsubss	%xmm21, %xmm20, %xmm20
	vmulss	%xmm19, %xmm8, %xmm21
	vsubss	%xmm21, %xmm20, %xmm20
	vmulss	%xmm16, %xmm7, %xmm21
	vmulss	%xmm16, %xmm3, %xmm16
	vmovss	%xmm20, -252(%r12,%rdx)
	vmovss	-252(%r9,%rdx), %xmm20
	vsubss	%xmm21, %xmm20, %xmm20
	vsubss	%xmm22, %xmm20, %xmm20
	vmulss	%xmm19, %xmm4, %xmm22
	vsubss	%xmm23, %xmm20, %xmm20
	vsubss	%xmm22, %xmm20, %xmm20
	vmovss	%xmm20, -252(%r9,%rdx)
	vmovss	-252(%r13,%rdx), %xmm20
	vsubss	%xmm16, %xmm20, %xmm16
	vmulss	%xmm18, %xmm1, %xmm20
	vmulss	%xmm19, %xmm0, %xmm18
	vsubss	%xmm17, %xmm16, %xmm16
	vsubss	%xmm20, %xmm16, %xmm16
	vsubss	%xmm18, %xmm16, %xmm16
	vmovss	%xmm16, -252(%r13,%rdx)
	addq	$8, %rdx
	cmpq	$256, %rdx
	jne	.LBB2_6
	jmp	.LBB2_8
.LBB2_9:
	cmpq	$0, 40(%rsp)
	je	.LBB2_26
	movq	256(%rsp), %rbx
	movq	(%rsp), %r14
	movq	344(%rsp), %r11
	movq	184(%rsp), %r15
	movq	264(%rsp), %r9
	xorl	%edx, %edx
	movl	$0, %edi
	movl	$0, %r8d
	movq	248(%rsp), %r10
	movq	384(%rsp), %rcx
	movq	-56(%rsp), %rsi
	andq	%rbx, %r14
	andq	$-4, %r15
	leaq	256(%rcx,%rax,4), %r12
	leaq	256(%rcx,%rsi), %rbp
	addq	%r11, %r14
	imulq	%r9, %r14
	cmpq	$-1, %r11
	cmovlq	%rbx, %rdi
	leaq	1(%r11,%rdi), %rdi
	leaq	(%r10,%r14,4), %r14
	imulq	%r9, %rdi
	cmpq	$-2, %r11
	cmovlq	%rbx, %r8
	movq	%r14, 112(%rsp)
	leaq	256(%rcx), %r14
	leaq	2(%r11,%r8), %r8
	leaq	(%r10,%rdi,4), %rdi
	imulq	%r9, %r8
	cmpq	$-3, %r11
	cmovgeq	%rdx, %rbx
	movq	%rdi, 104(%rsp)
	leaq	3(%r11,%rbx), %rdx
	movq	176(%rsp), %r11
	leaq	(%rcx,%rsi), %rbx
	leaq	(%r10,%r8,4), %rdi
	imulq	%r9, %rdx
	leaq	(%rcx,%rax,4), %r9
	cmpq	%r12, %rcx
	movq	%rdi, 96(%rsp)
	leaq	(%r10,%rdx,4), %rdx
	leaq	(%rcx,%rax,8), %r10
	movq	%rdx, 88(%rsp)
	leaq	(,%rax,8), %rdx
	leaq	256(%rcx,%rdx), %r13
	movq	192(%rsp), %rdx
	movq	%r13, 80(%rsp)
	leaq	(,%rdx,4), %rdx
	movq	%rdx, 72(%rsp)
	leaq	256(%r11), %rdx
	movq	%rdx, 64(%rsp)
	setb	%dl
	cmpq	%r14, %r9
	setb	%dil
	andb	%dl, %dil
	cmpq	%r13, %rcx
	setb	%dl
	cmpq	%r14, %r10
	setb	%r8b
	andb	%dl, %r8b
	orb	%dil, %r8b
	cmpq	%rbp, %rcx
	setb	%dl
	cmpq	%r14, %rbx
	setb	%dil
	andb	%dl, %dil
	orb	%r8b, %dil
	cmpq	%r13, %r9
	setb	%dl
	cmpq	%r12, %r10
	movb	%dil, -124(%rsp)
	setb	%dil
	andb	%dl, %dil
	cmpq	%rbp, %r9
	setb	%dl
	cmpq	%r12, %rbx
	setb	%r8b
	andb	%dl, %r8b
	orb	%dil, %r8b
	cmpq	%rbp, %r10
	setb	%dl
	cmpq	%r13, %rbx
	movb	%r8b, -125(%rsp)
	setb	%dil
	andb	%dl, %dil
	leaq	4(%r11), %rdx
	movb	%dil, -126(%rsp)
	movq	%rdx, 56(%rsp)
	jmp	.LBB2_11
	.p2align	4
.LBB2_24:
	movq	-120(%rsp), %r10
	vbroadcastss	(%r14), %zmm2
	vmovups	(%rcx), %zmm4
	vbroadcastss	(%r11), %zmm3
	leaq	(%rcx,%rax,4), %rdx
	vbroadcastss	(%r9), %zmm1
	vbroadcastss	(%r12), %zmm0
	leaq	(%rcx,%rax,8), %rdi
	movq	-56(%rsp), %rsi
	movq	-96(%rsp), %r15
	vmovups	(%r10), %zmm5
	leaq	(%rcx,%rsi), %r8
	vmulps	%zmm5, %zmm2, %zmm6
	vmulps	%zmm5, %zmm3, %zmm5
	vsubps	%zmm6, %zmm4, %zmm4
	vmovups	%zmm4, (%rcx)
	vmovups	(%rdx), %zmm4
	vsubps	%zmm5, %zmm4, %zmm4
	vmovups	%zmm4, (%rdx)
	vmovups	(%r10), %zmm5
	vmovups	(%rdi), %zmm4
	vmulps	%zmm5, %zmm1, %zmm6
	vmulps	%zmm5, %zmm0, %zmm5
	vsubps	%zmm6, %zmm4, %zmm4
	vmovups	%zmm4, (%rdi)
	vmovups	(%r8), %zmm4
	vsubps	%zmm5, %zmm4, %zmm4
	vmovups	%zmm4, (%r8)
	vmovups	64(%r10), %zmm5
	vmovups	64(%rcx), %zmm4
	vmulps	%zmm5, %zmm2, %zmm6
	vmulps	%zmm5, %zmm3, %zmm5
	vsubps	%zmm6, %zmm4, %zmm4
	vmovups	%zmm4, 64(%rcx)
	vmovups	64(%rdx), %zmm4
	vsubps	%zmm5, %zmm4, %zmm4
	vmovups	%zmm4, 64(%rdx)
	vmovups	64(%r10), %zmm5
	vmovups	64(%rdi), %zmm4
	vmulps	%zmm5, %zmm1, %zmm6
	vmulps	%zmm5, %zmm0, %zmm5
	vsubps	%zmm6, %zmm4, %zmm4
	vmovups	%zmm4, 64(%rdi)
	vmovups	64(%r8), %zmm4
	vsubps	%zmm5, %zmm4, %zmm4
	vmovups	%zmm4, 64(%r8)
	vmovups	128(%r10), %zmm5
	vmovups	128(%rcx), %zmm4
	vmulps	%zmm5, %zmm2, %zmm6
	vmulps	%zmm5, %zmm3, %zmm5
	vsubps	%zmm6, %zmm4, %zmm4
	vmovups	%zmm4, 128(%rcx)
	vmovups	128(%rdx), %zmm4
	vsubps	%zmm5, %zmm4, %zmm4
	vmovups	%zmm4, 128(%rdx)
	vmovups	128(%r10), %zmm5
	vmovups	128(%rdi), %zmm4
	vmulps	%zmm5, %zmm1, %zmm6
	vmulps	%zmm5, %zmm0, %zmm5
	vsubps	%zmm6, %zmm4, %zmm4
	vmovups	%zmm4, 128(%rdi)
	vmovups	128(%r8), %zmm4
	vsubps	%zmm5, %zmm4, %zmm4
	vmovups	%zmm4, 128(%r8)
	vmovups	192(%r10), %zmm5
	vmovups	192(%rcx), %zmm4
	vmulps	%zmm5, %zmm2, %zmm2
	vmulps	%zmm5, %zmm3, %zmm3
	vsubps	%zmm2, %zmm4, %zmm2
	vmovups	%zmm2, 192(%rcx)
	vmovups	192(%rdx), %zmm2
	vsubps	%zmm3, %zmm2, %zmm2
	vmovups	%zmm2, 192(%rdx)
	vmovups	192(%r10), %zmm3
	vmovups	192(%rdi), %zmm2
	vmulps	%zmm3, %zmm1, %zmm1
	vmulps	%zmm3, %zmm0, %zmm0
	vsubps	%zmm1, %zmm2, %zmm1
	vmovups	%zmm1, 192(%rdi)
	vmovups	192(%r8), %zmm1
	vsubps	%zmm0, %zmm1, %zmm0
	vmovups	%zmm0, 192(%r8)
.LBB2_25:
	incq	%r15
	decq	40(%rsp)
	jle	.LBB2_26
.LBB2_11:
	movq	%r15, %rdx
	sarq	$63, %rdx
	movq	72(%rsp), %r10
	movq	176(%rsp), %r8
	movq	%r15, -96(%rsp)
	movq	96(%rsp), %rbx
	movq	%rax, %rcx
	movq	%rdx, %rdi
	andq	184(%rsp), %rdi
	andq	264(%rsp), %rdx
	addq	%r15, %rdi
	addq	%r15, %rdx
	movq	88(%rsp), %r15
	imulq	%rdi, %r10
	imulq	192(%rsp), %rdi
	leaq	(%rbx,%rdx,4), %r9
	leaq	4(%r15,%rdx,4), %rbp
	leaq	(%r15,%rdx,4), %r12
	movq	%rbp, -72(%rsp)
	leaq	(%r8,%rdi,4), %r13
	movq	112(%rsp), %rdi
	movq	104(%rsp), %r8
	movq	%r13, -120(%rsp)
	leaq	4(%rdi,%rdx,4), %rax
	leaq	(%rdi,%rdx,4), %r14
	movq	64(%rsp), %rdi
	leaq	4(%r8,%rdx,4), %rsi
	leaq	(%r8,%rdx,4), %r11
	movq	%rax, -64(%rsp)
	movq	%rsi, -104(%rsp)
	leaq	(%rdi,%r10), %r8
	leaq	4(%rbx,%rdx,4), %rdi
	movq	384(%rsp), %rdx
	movq	%r8, -112(%rsp)
	movq	%rdi, -80(%rsp)
	cmpq	%rax, %rdx
	movq	%rcx, %rax
	movq	%rdx, %rcx
	leaq	256(%rcx), %r15
	setb	%dl
	cmpq	%r15, %r14
	setb	%dil
	andb	%dl, %dil
	orb	-124(%rsp), %dil
	cmpq	%r8, %rcx
	setb	%dl
	cmpq	%r15, %r13
	leaq	(%rcx,%rax,4), %r13
	setb	%r8b
	andb	%dl, %r8b
	cmpq	%rsi, %rcx
	movq	-80(%rsp), %rsi
	setb	%dl
	cmpq	%r15, %r11
	setb	%bl
	andb	%dl, %bl
	orb	%dil, %bl
	cmpq	%rsi, %rcx
	setb	%dil
	cmpq	%r15, %r9
	setb	%dl
	andb	%dil, %dl
	orb	%bl, %dl
	movq	%rcx, %rbx
	orb	%r8b, %dl
	cmpq	%rbp, %rcx
	movq	-64(%rsp), %rcx
	movq	%rsi, %rbp
	setb	%dil
	cmpq	%r15, %r12
	leaq	256(%rbx,%rax,4), %r15
	setb	%r8b
	andb	%dil, %r8b
	orb	-125(%rsp), %r8b
	cmpq	%rcx, %r13
	setb	%dil
	cmpq	%r15, %r14
	setb	%bl
	andb	%dil, %bl
	orb	%r8b, %bl
	cmpq	-112(%rsp), %r13
	setb	%r8b
	cmpq	%r15, -120(%rsp)
	setb	%dil
	andb	%r8b, %dil
	orb	%bl, %dil
	orb	%dl, %dil
	cmpq	-104(%rsp), %r13
	setb	%dl
	cmpq	%r15, %r11
	setb	%r8b
	andb	%dl, %r8b
	cmpq	%rsi, %r13
	movq	-72(%rsp), %rsi
	setb	%dl
	cmpq	%r15, %r9
	setb	%bl
	andb	%dl, %bl
	orb	%r8b, %bl
	cmpq	%rsi, %r13
	setb	%dl
	cmpq	%r15, %r12
	movq	80(%rsp), %r15
	setb	%r8b
	andb	%dl, %r8b
	movq	384(%rsp), %rdx
	orb	%bl, %r8b
	orb	-126(%rsp), %r8b
	movq	-120(%rsp), %rbx
	leaq	(%rdx,%rax,8), %r13
	movq	-104(%rsp), %rdx
	orb	%dil, %r8b
	movq	-112(%rsp), %rdi
	cmpq	%rcx, %r13
	movq	384(%rsp), %rcx
	setb	-88(%rsp)
	cmpq	%r15, %r14
	setb	-24(%rsp)
	cmpq	%rdi, %r13
	setb	-32(%rsp)
	cmpq	%r15, %rbx
	setb	-40(%rsp)
	cmpq	%rdx, %r13
	setb	(%rsp)
	cmpq	%r15, %r11
	setb	32(%rsp)
	cmpq	%rbp, %r13
	setb	24(%rsp)
	cmpq	%r15, %r9
	setb	16(%rsp)
	cmpq	%rsi, %r13
	movq	-56(%rsp), %r13
	setb	8(%rsp)
	cmpq	%r15, %r12
	setb	-121(%rsp)
	leaq	(%rcx,%r13), %r15
	cmpq	-64(%rsp), %r15
	leaq	256(%rcx,%r13), %r13
	setb	-64(%rsp)
	cmpq	%r13, %r14
	setb	-122(%rsp)
	cmpq	%rdi, %r15
	setb	-112(%rsp)
	cmpq	%r13, %rbx
	setb	-123(%rsp)
	cmpq	%rdx, %r15
	setb	%bl
	cmpq	%r13, %r11
	setb	-104(%rsp)
	cmpq	%rbp, %r15
	setb	%dil
	cmpq	%r13, %r9
	setb	%bpl
	cmpq	%rsi, %r15
	setb	%dl
	cmpq	%r13, %r12
	setb	%sil
	testb	$1, %r8b
	jne	.LBB2_22
	movzbl	-24(%rsp), %r8d
	andb	%r8b, -88(%rsp)
	jne	.LBB2_22
	movzbl	-40(%rsp), %r8d
	andb	%r8b, -32(%rsp)
	jne	.LBB2_22
	movzbl	32(%rsp), %r8d
	andb	%r8b, (%rsp)
	jne	.LBB2_22
	movzbl	16(%rsp), %r8d
	andb	%r8b, 24(%rsp)
	jne	.LBB2_22
	movzbl	-121(%rsp), %r8d
	andb	%r8b, 8(%rsp)
	jne	.LBB2_22
	movzbl	-122(%rsp), %r8d
	andb	%r8b, -64(%rsp)
	jne	.LBB2_22
	movzbl	-123(%rsp), %r8d
	andb	%r8b, -112(%rsp)
	jne	.LBB2_22
	andb	-104(%rsp), %bl
	jne	.LBB2_22
	andb	%bpl, %dil
	jne	.LBB2_22
	andb	%sil, %dl
	je	.LBB2_24
.LBB2_22:
	addq	56(%rsp), %r10
	movq	-96(%rsp), %r15
	leaq	4(%rcx), %rdx
	xorl	%r8d, %r8d
	.p2align	4
.LBB2_23:
	vmovss	(%r14), %xmm1
	vmovss	-4(%rdx), %xmm0
	movq	-56(%rsp), %rcx
	vmulss	-4(%r10,%r8), %xmm1, %xmm1
	vsubss	%xmm1, %xmm0, %xmm0
	vmovss	%xmm0, -4(%rdx)
	vmovss	(%r11), %xmm1
	vmovss	-4(%rdx,%rax,4), %xmm0
	vmulss	-4(%r10,%r8), %xmm1, %xmm1
	vsubss	%xmm1, %xmm0, %xmm0
	vmovss	%xmm0, -4(%rdx,%rax,4)
	vmovss	(%r9), %xmm1
	vmovss	-4(%rdx,%rax,8), %xmm0
	vmulss	-4(%r10,%r8), %xmm1, %xmm1
	vsubss	%xmm1, %xmm0, %xmm0
	vmovss	%xmm0, -4(%rdx,%rax,8)
	vmovss	(%r12), %xmm1
	vmovss	-4(%rdx,%rcx), %xmm0
	vmulss	-4(%r10,%r8), %xmm1, %xmm1
	vsubss	%xmm1, %xmm0, %xmm0
	vmovss	%xmm0, -4(%rdx,%rcx)
	vmovss	(%r14), %xmm1
	vmovss	(%rdx), %xmm0
	vmulss	(%r10,%r8), %xmm1, %xmm1
	vsubss	%xmm1, %xmm0, %xmm0
	vmovss	%xmm0, (%rdx)
	vmovss	(%r11), %xmm1
	vmovss	(%rdx,%rax,4), %xmm0
	vmulss	(%r10,%r8), %xmm1, %xmm1
	vsubss	%xmm1, %xmm0, %xmm0
	vmovss	%xmm0, (%rdx,%rax,4)
	vmovss	(%r9), %xmm1
	vmovss	(%rdx,%rax,8), %xmm0
	vmulss	(%r10,%r8), %xmm1, %xmm1
	vsubss	%xmm1, %xmm0, %xmm0
	vmovss	%xmm0, (%rdx,%rax,8)
	vmovss	(%r12), %xmm1
	vmovss	(%rdx,%rcx), %xmm0
	vmulss	(%r10,%r8), %xmm1, %xmm1
	addq	$8, %r8
	vsubss	%xmm1, %xmm0, %xmm0
	vmovss	%xmm0, (%rdx,%rcx)
	addq	$8, %rdx
	cmpq	$256, %r8
	jne	.LBB2_23
	jmp	.LBB2_25
.LBB2_26:
	movq	48(%rsp), %rax
	movq	$0, (%rax)
	xorl	%eax, %eax
	addq	$120, %rsp
	.cfi_def_cfa_offset 56
	popq	%rbx
	.cfi_def_cfa_offset 48
	popq	%r12
	.cfi_def_cfa_offset 40
	popq	%r13
	.cfi_def_cfa_offset 32
	popq	%r14
	.cfi_def_cfa_offset 24
	popq	%r15
	.cfi_def_cfa_offset 16
	popq	%rbp
	.cfi_def_cfa_offset 8
	vzeroupper
	retq
.Lfunc_end2:
	.size	_ZN8__main__4fourB2v5B66c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2IZKIKUpsIgmAA_3d_3dE5ArrayIfLi2E1C7mutable7alignedE5ArrayIfLi2E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedEx5ArrayIfLi2E1C7mutable7alignedE, .Lfunc_end2-_ZN8__main__4fourB2v5B66c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2IZKIKUpsIgmAA_3d_3dE5ArrayIfLi2E1C7mutable7alignedE5ArrayIfLi2E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedEx5ArrayIfLi2E1C7mutable7alignedE
	.cfi_endproc

	.type	.const.assign,@object
	.section	.lrodata,"al",@progbits
.const.assign:
	.asciz	"assign"
	.size	.const.assign, 7

	.type	_ZN08NumbaEnv8__main__6assignB2v1B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqEqkpAMW0QQAExx5ArrayIxLi1E1C7mutable7alignedE5ArrayIfLi3E1C7mutable7alignedE5ArrayIfLi2E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedE5ArrayIiLi2E1C7mutable7alignedE5ArrayIfLi3E1C7mutable7alignedE5ArrayIfLi2E1C7mutable7alignedE,@object
	.comm	_ZN08NumbaEnv8__main__6assignB2v1B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqEqkpAMW0QQAExx5ArrayIxLi1E1C7mutable7alignedE5ArrayIfLi3E1C7mutable7alignedE5ArrayIfLi2E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedE5ArrayIiLi2E1C7mutable7alignedE5ArrayIfLi3E1C7mutable7alignedE5ArrayIfLi2E1C7mutable7alignedE,8,8
	.type	".const.missing Environment: _ZN08NumbaEnv8__main__6assignB2v1B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqEqkpAMW0QQAExx5ArrayIxLi1E1C7mutable7alignedE5ArrayIfLi3E1C7mutable7alignedE5ArrayIfLi2E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedE5ArrayIiLi2E1C7mutable7alignedE5ArrayIfLi3E1C7mutable7alignedE5ArrayIfLi2E1C7mutable7alignedE",@object
	.p2align	4, 0x0
".const.missing Environment: _ZN08NumbaEnv8__main__6assignB2v1B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqEqkpAMW0QQAExx5ArrayIxLi1E1C7mutable7alignedE5ArrayIfLi3E1C7mutable7alignedE5ArrayIfLi2E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedE5ArrayIiLi2E1C7mutable7alignedE5ArrayIfLi3E1C7mutable7alignedE5ArrayIfLi2E1C7mutable7alignedE":
	.asciz	"missing Environment: _ZN08NumbaEnv8__main__6assignB2v1B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqEqkpAMW0QQAExx5ArrayIxLi1E1C7mutable7alignedE5ArrayIfLi3E1C7mutable7alignedE5ArrayIfLi2E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedE5ArrayIiLi2E1C7mutable7alignedE5ArrayIfLi3E1C7mutable7alignedE5ArrayIfLi2E1C7mutable7alignedE"
	.size	".const.missing Environment: _ZN08NumbaEnv8__main__6assignB2v1B54c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqEqkpAMW0QQAExx5ArrayIxLi1E1C7mutable7alignedE5ArrayIfLi3E1C7mutable7alignedE5ArrayIfLi2E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedE5ArrayIiLi2E1C7mutable7alignedE5ArrayIfLi3E1C7mutable7alignedE5ArrayIfLi2E1C7mutable7alignedE", 332

	.type	".const.can't unbox array from PyObject into native value.  The object maybe of a different type",@object
	.p2align	4, 0x0
".const.can't unbox array from PyObject into native value.  The object maybe of a different type":
	.asciz	"can't unbox array from PyObject into native value.  The object maybe of a different type"
	.size	".const.can't unbox array from PyObject into native value.  The object maybe of a different type", 89

	.type	".const.Error creating Python tuple from runtime exception arguments",@object
	.p2align	4, 0x0
".const.Error creating Python tuple from runtime exception arguments":
	.asciz	"Error creating Python tuple from runtime exception arguments"
	.size	".const.Error creating Python tuple from runtime exception arguments", 61

	.type	".const.unknown error when calling native function",@object
	.p2align	4, 0x0
".const.unknown error when calling native function":
	.asciz	"unknown error when calling native function"
	.size	".const.unknown error when calling native function", 43

	.type	_ZN08NumbaEnv8__main__7nearestB2v4B66c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2IZKIKUpsIgmAA_3d_3dE5ArrayIfLi2E1C7mutable7alignedE5ArrayIfLi2E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedE5ArrayIfLi2E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedE5ArrayIiLi1E1C7mutable7alignedE,@object
	.comm	_ZN08NumbaEnv8__main__7nearestB2v4B66c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2IZKIKUpsIgmAA_3d_3dE5ArrayIfLi2E1C7mutable7alignedE5ArrayIfLi2E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedE5ArrayIfLi2E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedE5ArrayIiLi1E1C7mutable7alignedE,8,8
	.type	_ZN08NumbaEnv8__main__4fourB2v5B66c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2IZKIKUpsIgmAA_3d_3dE5ArrayIfLi2E1C7mutable7alignedE5ArrayIfLi2E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedEx5ArrayIfLi2E1C7mutable7alignedE,@object
	.comm	_ZN08NumbaEnv8__main__4fourB2v5B66c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2IZKIKUpsIgmAA_3d_3dE5ArrayIfLi2E1C7mutable7alignedE5ArrayIfLi2E1C7mutable7alignedE5ArrayIfLi1E1C7mutable7alignedEx5ArrayIfLi2E1C7mutable7alignedE,8,8
	.type	_ZN08NumbaEnv5numba7cpython8builtins6ol_min12_3clocals_3e4implB2v3B52c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAw4hWsFpNAA_3d_3dE15StarArgUniTupleIxLi2EE,@object
	.comm	_ZN08NumbaEnv5numba7cpython8builtins6ol_min12_3clocals_3e4implB2v3B52c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAw4hWsFpNAA_3d_3dE15StarArgUniTupleIxLi2EE,8,8
	.type	_ZN08NumbaEnv7spinney5_team10next_chunkB2v2B66c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2IZKIKUpsIgmAA_3d_3dE5ArrayIxLi1E1C7mutable7alignedE,@object
	.comm	_ZN08NumbaEnv7spinney5_team10next_chunkB2v2B66c8tJTIeFIjxB2IKSgI4CrvQCk0Z4yRYcWsBAQ4s_2fqErM2IZKIKUpsIgmAA_3d_3dE5ArrayIxLi1E1C7mutable7alignedE,8,8
	.section	".note.GNU-stack","",@progbits
